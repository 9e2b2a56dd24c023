// `wes deploy`: uploads compiled Programs, one after the other. Compiles those of a project first.

import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ARTIFACT_SUFFIX } from '#runtime/source/artifact-file.ts'
import { CONFIG_NAMES } from '#runtime/source/config-names.ts'
import { type ProgramArtifact, ServiceRuntimeError } from '#sdk/index.ts'
import { CommandFailure, UsageError } from './failures.ts'
import { parseJson } from './json-argument.ts'
import { reasonOf } from './reason-of.ts'
import { type ClientFlags, printAnswer, readAnswer, type Session } from './session.ts'
import { shellWord } from './shell-word.ts'
import { printable } from './text.ts'

export type DeployFlags = ClientFlags & { readonly project?: string }

/** Without files: the Programs of the project, or every `*.program.json` of the folder. Stops at the first error. */
export const deploy = async (session: Session, given: readonly string[], flags: DeployFlags): Promise<void> => {
  if (given.length > 0 && flags.project !== undefined) {
    throw new UsageError('pass either files or --project, not both')
  }
  if (given.length > 0) return deployFiles(session, given)
  const folder = flags.project ?? '.'
  if (flags.project !== undefined || (await isProject(folder))) return deployProject(session, folder, flags)
  return deployFiles(session, await filesHere())
}

const deployFiles = async (session: Session, files: readonly string[]): Promise<void> => {
  for (const file of files) {
    const artifact = await readArtifact(session, file)
    await named(file, files, session, () => explained(file, () => upload(session, artifact)))
  }
}

/** The service calls the artifact the body of the request. */
const explained = async (file: string, deploy: () => Promise<void>): Promise<void> => {
  try {
    await deploy()
  } catch (error) {
    if (!(error instanceof ServiceRuntimeError) || !error.message.startsWith('body must ')) throw error
    const { status, code, message } = error
    const why = `${nameOf(file)} is not a compiled Program: it${message.slice('body'.length)}`
    throw new ServiceRuntimeError({ status, code, message: why, cause: error })
  }
}

const nameOf = (file: string): string => (file === '-' ? 'standard input' : file)

/** Says at which of several it failed, because the service does not know their names. */
const named = async (
  name: string,
  all: readonly unknown[],
  { terminal }: Session,
  deploy: () => Promise<void>,
): Promise<void> => {
  try {
    await deploy()
  } catch (error) {
    if (all.length > 1) terminal.err(`deploying ${printable(name)} failed:\n`)
    throw error
  }
}

const isProject = async (folder: string): Promise<boolean> =>
  (await readdir(folder)).some((name) => CONFIG_NAMES.includes(name)) ||
  (await stat(join(folder, 'programs')).catch(() => undefined))?.isDirectory() === true

/** Compiles and loads all Programs before it uploads the first. */
const deployProject = async (session: Session, given: string, flags: DeployFlags): Promise<void> => {
  const { buildFailure, noPrograms, printWarnings, projectFolder } = await import('./build-command.ts')
  const { compileProject } = await import('#runtime/source/build-project.ts')
  const { checkingPrograms } = await import('./check-programs.ts')
  const folder = await projectFolder(given)
  const { programs, project, errors, warnings } = await checkingPrograms((check) => compileProject({ folder, check }))
  if (errors.length > 0) throw await buildFailure(errors, session.terminal)
  if (programs.length === 0) throw noPrograms(given, warnings)
  if (!session.json) printWarnings(warnings, session.terminal)
  const isNamedByConfig = flags.projectId === undefined && project !== undefined
  const target = isNamedByConfig ? session.inProject(await projectIdOf(session, project)) : session
  for (const { artifact } of programs) await named(artifact.id, programs, session, () => upload(target, artifact))
}

/** `wes.config` names a project by its id or its name; every service takes `default` as an id. */
const projectIdOf = async (session: Session, named: string): Promise<string> => {
  if (named === 'default') return named
  const { items } = await session.client.listProjects()
  const found = items.find(({ id }) => id === named) ?? items.find(({ name }) => name === named)
  if (found !== undefined) return found.id
  throw new CommandFailure('project_not_found', `project "${named}", from wes.config, does not exist`, {
    hint: `\`wes projects create ${shellWord(named)}\` creates it.`,
  })
}

/** The service does not say what makes an artifact large. */
const withPackages = async (error: unknown, artifact: ProgramArtifact): Promise<unknown> => {
  if (!(error instanceof ServiceRuntimeError) || error.code !== 'payload_too_large') return error
  const { becauseOfPackages } = await import('#runtime/source/largest-packages.ts')
  const { status, code } = error
  const message = `The artifact is larger than 16 MiB${becauseOfPackages(artifact)}.`
  return new ServiceRuntimeError({ status, code, message, cause: error })
}

const upload = async (session: Session, artifact: ProgramArtifact): Promise<void> => {
  const program = await session.client.deployProgram(artifact).catch(async (error: unknown) => {
    throw await withPackages(error, artifact)
  })
  if (session.json) return printAnswer(session)
  const { id, number, runnable, hasEffects } = readAnswer(() => {
    const { number, runnable, hasEffects } = program.latestVersion
    return { id: printable(program.id), number, runnable, hasEffects }
  })
  const change = session.lastAnswer().status === 201 ? 'deployed' : 'unchanged'
  await session.terminal.out(`${change} ${id} version ${number}\n`)
  if (!runnable) {
    const why = hasEffects ? ': a local runtime runs effects from project source, with `wes dev` in its folder' : ''
    session.terminal.err(`${id} version ${number} is stored, but this service cannot run it${why}\n`)
  }
}

const filesHere = async (): Promise<readonly string[]> => {
  const files = (await readdir('.')).filter((name) => name.endsWith(ARTIFACT_SUFFIX)).sort()
  if (files.length > 0) return files
  throw new UsageError(
    `nothing to deploy: this folder is not a project and has no *${ARTIFACT_SUFFIX} files\n` +
      'Name a project with --project, or artifacts that `wes build` made; `wes new` creates a project.',
  )
}

const readArtifact = async (session: Session, file: string): Promise<ProgramArtifact> => {
  let content: string
  try {
    content = file === '-' ? await session.sources.readStdin() : await session.sources.readFile(file)
  } catch (error) {
    const isFolder = (error as NodeJS.ErrnoException).code === 'EISDIR'
    throw new CommandFailure('file_unreadable', `cannot read ${file}: ${reasonOf(error)}`, {
      ...(isFolder && { hint: `\`wes deploy --project ${shellWord(file)}\` uploads the Programs of a project.` }),
    })
  }
  try {
    // The service validates the artifact.
    return parseJson(nameOf(file), content) as ProgramArtifact
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const hint = '`wes build` compiles Programs into artifacts; `wes deploy --project DIR` compiles and uploads them.'
    throw new CommandFailure('invalid_request', error.message, /\.[cm]?[jt]sx?$/.test(file) ? { hint } : {})
  }
}
