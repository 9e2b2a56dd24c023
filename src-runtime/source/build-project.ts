// `wes build` and `wes deploy`: compile every Program of a project into an artifact that contains all that it needs.

import { randomUUID } from 'node:crypto'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { isAlive } from '../shared/is-alive.ts'
import { makeFolder } from '../shared/make-folder.ts'
import { replaceFileLater } from '../shared/replace-file.ts'
import { ARTIFACT_SUFFIX } from './artifact-file.ts'
import { resolveProgramIds } from './resolve-program-ids.ts'
import { createCompiler, type CompilerOptions } from './compile.ts'
import { discover } from './discover.ts'
import { layoutWarnings } from './layout-warnings.ts'
import { programWarnings } from './warnings.ts'
import { readProjectConfig } from './project-config.ts'
import { loadError } from './load-error.ts'
import { compareText, sortedErrors, refusedError, sourceError, type SourceError } from './source-error.ts'
import type { CompiledProgram, SourceArtifact } from './source.ts'

export type ProjectBuild = {
  /** The Programs that compiled, by id. */
  readonly programs: readonly CompiledProgram[]
  /** From the project's config. */
  readonly project?: string
  readonly errors: readonly SourceError[]
  readonly warnings: readonly string[]
}

export type BuildOptions = Omit<CompilerOptions, 'packages'> & {
  /** Why an artifact would be refused. Without it, the service that it is deployed to finds out. */
  readonly check?: (artifact: SourceArtifact) => Promise<string | undefined>
}

const NOTHING = { programs: [], warnings: [] }

export const compileProject = async ({ check, ...options }: BuildOptions): Promise<ProjectBuild> => {
  const compiler = createCompiler({ ...options, packages: 'bundle' })
  try {
    const reading = await readProjectConfig(compiler.files, compiler.evaluator)
    const outcome = await reading.outcome
    if (!outcome.ok) return { ...NOTHING, errors: outcome.errors }
    const { programs: globs, project } = outcome.config
    const discovered = await discover(compiler.files.folder, globs)
    const compiled = await compiler.compile(discovered.files)
    const resolved = resolveProgramIds(
      compiled.map(({ programs }) => ({ programs, isGone: false })),
      compiler.files.text,
    )
    const programs = [...resolved.programs.values()].toSorted((a, b) => compareText(a.id, b.id))
    const found = await Promise.all(programs.map(async ({ artifact }) => check?.(artifact)))
    const refusals = programs.flatMap((program, index) => {
      const fault = found[index]
      return fault === undefined ? [] : [loadError(program, fault, compiler.files.text(program.path))]
    })
    const faults = [...compiled.flatMap(({ errors }) => errors), ...[...resolved.errors.values()].flat()]
    return {
      programs,
      ...(project !== undefined && { project }),
      errors: sortedErrors([...faults, ...refusals]),
      warnings: [
        ...layoutWarnings(compiler.files, outcome.config, discovered),
        ...compiled.flatMap((one) => one.warnings),
        ...programWarnings(programs, compiler.files.text),
      ].map(({ message }) => message),
    }
  } catch (error) {
    const refused = refusedError(compiler.files.folder, error)
    if (refused === undefined) throw error
    return { ...NOTHING, errors: [refused] }
  } finally {
    compiler.stop()
  }
}

export type BuiltFile = { readonly id: string; readonly path: string; readonly file: string }

/** Writes `<id>.program.json` for each Program, or nothing if one of them fails. */
export const buildProject = async ({
  outDir,
  ...options
}: BuildOptions & { readonly outDir: string }): Promise<{
  readonly files: readonly BuiltFile[]
  readonly errors: readonly SourceError[]
  readonly warnings: readonly string[]
  /** Artifacts in the folder that this build has not written: of deleted Programs, or of other projects. */
  readonly others?: readonly string[]
  /** Why files could not be written. */
  readonly failure?: unknown
}> => {
  const { programs, errors: found, warnings } = await compileProject(options)
  const errors = [...found, ...clashesOf(programs)]
  if (errors.length > 0 || programs.length === 0) return { files: [], errors, warnings }
  try {
    const folder = resolve(outDir)
    const files = await writeArtifacts(programs, folder)
    return { files, errors, warnings, others: await otherArtifacts(folder, files) }
  } catch (failure) {
    return { files: [], errors, warnings, failure }
  }
}

/** Each is renamed once all are complete: another process may be reading the files, or writing them too, and the disk may become full. */
const writeArtifacts = async (programs: readonly CompiledProgram[], folder: string): Promise<readonly BuiltFile[]> => {
  makeFolder(folder)
  await removeDrafts(folder)
  const files = programs.map(({ id, path }) => ({ id, path, file: join(folder, `${id}${ARTIFACT_SUFFIX}`) }))
  const drafts = files.map(({ file }) => `${file}.${process.pid}.${randomUUID()}.tmp`)
  try {
    for (const [index, { artifact }] of programs.entries()) {
      await writeFile(drafts[index]!, `${JSON.stringify(artifact, undefined, 2)}\n`)
    }
    for (const [index, { file }] of files.entries()) await replaceFileLater(drafts[index]!, file)
    return files
  } catch (error) {
    for (const draft of drafts) await rm(draft, { force: true }).catch(() => {})
    throw error
  }
}

/** Those that builds have left which were killed. */
const removeDrafts = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder).catch(() => [])) {
    const [, writer] = DRAFT.exec(name) ?? []
    if (writer !== undefined && !isAlive(Number(writer))) await rm(join(folder, name), { force: true }).catch(() => {})
  }
}

const DRAFT = /\.program\.json\.(\d+)\.[\w-]+\.tmp$/

const otherArtifacts = async (folder: string, written: readonly BuiltFile[]): Promise<readonly string[]> => {
  const ours = new Set(written.map(({ file }) => file))
  // A folder may be writable and not readable.
  const found = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith(ARTIFACT_SUFFIX)).toSorted()
  return found.map((name) => join(folder, name)).filter((file) => !ours.has(file))
}

/** On Windows and macOS the artifact of one would replace the other's. */
const clashesOf = (programs: readonly CompiledProgram[]): readonly SourceError[] => {
  const ids = Map.groupBy(programs, ({ id }) => id.toLowerCase())
  return [...ids.values()].flatMap(([first, ...others]) =>
    others.map(({ id, place }) =>
      sourceError(
        place,
        `Program ids "${id}" and "${first?.id}" differ only in case: disks that ignore case have one file for both, so change one of them`,
        undefined,
      ),
    ),
  )
}
