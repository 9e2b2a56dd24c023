// `wes build`: compiles the Programs of a project into artifacts.

import { readFile, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { DEPLOY_BODY_LIMIT_BYTES } from '#runtime/shared/deploy-limit.ts'
import { buildProject, type BuiltFile } from '#runtime/source/build-project.ts'
import { becauseOfPackages } from '#runtime/source/largest-packages.ts'
import type { SourceArtifact } from '#runtime/source/source.ts'
import type { SourceError } from '#runtime/source/source-error.ts'
import { checkingPrograms } from './check-programs.ts'
import { CommandFailure, jsonError, UsageError } from './failures.ts'
import { reasonOf } from './reason-of.ts'
import type { Terminal } from './terminal.ts'
import { printable } from './text.ts'

export type BuildFlags = {
  readonly project: string
  readonly out?: string
  readonly json?: true
}

/** Writes artifacts only if every Program of the project compiles and can be loaded. */
export const build = async (flags: BuildFlags, terminal: Terminal): Promise<void> => {
  const folder = await projectFolder(flags.project)
  const outDir = resolve(flags.out ?? join(folder, 'dist'))
  const {
    files,
    errors,
    warnings,
    others = [],
    failure,
  } = await checkingPrograms((check) => buildProject({ folder, outDir, check }))
  if (errors.length > 0) throw await buildFailure(errors, terminal)
  if (failure !== undefined) {
    throw new CommandFailure('folder_unwritable', `cannot write to ${shorter(outDir)}: ${reasonOf(failure)}`)
  }
  if (files.length === 0) throw noPrograms(flags.project, warnings)
  await warnOfLarge(files, terminal)
  if (flags.json === true) return terminal.out(`${JSON.stringify({ items: files })}\n`)
  for (const { id, file } of files) {
    await terminal.out(`built ${printable(id)} ${printable(shorter(file))}\n`)
  }
  printWarnings(warnings, terminal)
  for (const file of others) terminal.err(`left ${printable(shorter(file))}: no Program of this project has its id\n`)
}

const warnOfLarge = async (files: readonly BuiltFile[], terminal: Terminal): Promise<void> => {
  for (const { id, file } of files) {
    const { size } = await stat(file)
    if (size <= DEPLOY_BODY_LIMIT_BYTES) continue
    const why = becauseOfPackages(JSON.parse(await readFile(file, 'utf8')) as SourceArtifact)
    terminal.err(printable(`${id} cannot be deployed: its artifact is larger than 16 MiB${why}\n`))
  }
}

export const printWarnings = (warnings: readonly string[], terminal: Terminal): void => {
  if (warnings.length > 0) terminal.err(warningLines(warnings))
}

const warningLines = (warnings: readonly string[]): string =>
  warnings.map((warning) => `warning ${printable(warning)}\n`).join('')

const shorter = (file: string): string => {
  const path = relative(process.cwd(), file)
  return path.startsWith('..') ? file : path
}

export const projectFolder = async (given: string): Promise<string> => {
  const found = await stat(resolve(given)).catch(() => undefined)
  if (found?.isDirectory() === true) return resolve(given)
  throw new UsageError(`--project: ${given} is not a folder`)
}

/** Describes the errors as `wes dev` does. */
export const buildFailure = async (errors: readonly SourceError[], terminal: Terminal): Promise<CommandFailure> => {
  const { coloured, describeEvent, plain } = await import('#runtime/source/describe-event.ts')
  const paint = terminal.errColour ? coloured : plain
  const details = describeEvent({ kind: 'failed', path: errors[0]?.path ?? '', errors }, paint, terminal.errColumns)
  const count = errors.length === 1 ? 'there is 1 error' : `there are ${errors.length} errors`
  const json = jsonError('build_failed', errors.map(({ message }) => message).join('\n'))
  return new CommandFailure('build_failed', `nothing was built: ${count}`, { details, json })
}

export const noPrograms = (folder: string, warnings: readonly string[]): CommandFailure =>
  new CommandFailure('no_programs', `${folder} has no Programs`, {
    details: warningLines(warnings),
    hint: 'Programs are what modules in programs/**/*.ts, or in the `programs` of wes.config.ts, export with `defineProgram`; name `.tsx` or `.js` modules there. `wes new` creates a project.',
  })
