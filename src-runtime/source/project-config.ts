// Reads a project's `wes.config.*`. Code is evaluated like schemas: in the evaluator process.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { createValidator } from '../shared/create-validator.ts'
import { findJsonError } from '../shared/json-error-place.ts'
import { describeFaults } from '../shared/schema-faults.ts'
import { bundleConfig } from './bundle-definitions.ts'
import { bundlerErrors } from './bundler-errors.ts'
import { CONFIG_NAMES } from './config-names.ts'
import { DEFAULT_PROGRAMS } from './discover.ts'
import type { Evaluator } from './evaluator.ts'
import { loadSdk } from './sdk-module.ts'
import { fileError, sourceError, type SourceError } from './source-error.ts'
import { stampOf } from '../shared/stat-of.ts'
import type { SourceFiles } from './source-files.ts'

export type ProjectConfig = {
  /** The globs of Program modules. */
  readonly programs: readonly string[]
  /** The name or id of the project that the Programs belong to; else the default project. */
  readonly project?: string
  /** Its file, if there is one. */
  readonly path?: string
}

export type ConfigOutcome =
  | { readonly ok: true; readonly config: ProjectConfig }
  | { readonly ok: false; readonly errors: readonly SourceError[] }

export type ConfigReading = {
  /** Its file, if there is one. */
  readonly path?: string
  /** The names of all files that it is made of, or could be. */
  readonly inputs: readonly string[]
  /** Rejects if the system starts no process that evaluates it. */
  readonly outcome: Promise<ConfigOutcome>
}

const Config = Type.Object(
  {
    programs: Type.Optional(
      Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String({ minLength: 1 }), { minItems: 1 })]),
    ),
    project: Type.Optional(Type.String({ minLength: 1, maxLength: 80 })),
  },
  { additionalProperties: false },
)
const configs = createValidator(Config)

/** Its name, if there is one. */
export const configFileOf = (files: SourceFiles): string | undefined =>
  CONFIG_NAMES.find((candidate) => stampOf(join(files.folder, candidate)) !== undefined)

/** Resolves when its files have been read; `signal` ends its evaluation. */
export const readProjectConfig = async (
  files: SourceFiles,
  evaluator: Evaluator,
  signal?: AbortSignal,
): Promise<ConfigReading> => {
  const path = configFileOf(files)
  const none: ConfigOutcome = { ok: true, config: { programs: DEFAULT_PROGRAMS } }
  if (path === undefined) return { inputs: CONFIG_NAMES, outcome: Promise.resolve(none) }
  const { inputs, value } = path.endsWith('.json')
    ? { inputs: [], value: Promise.resolve(readJson(files, path)) }
    : await bundled(files, evaluator, path, signal)
  const outcome = value.then((found) => (found.ok ? checked(files, path, found.value) : found))
  return { path, inputs: [...CONFIG_NAMES, ...inputs], outcome }
}

type Value =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly errors: readonly SourceError[] }

const readJson = (files: SourceFiles, name: string): Value => {
  const text = readFileSync(files.fileOf(name), 'utf8').replace(/^\ufeff/, '')
  try {
    return { ok: true, value: JSON.parse(text) as unknown }
  } catch {
    const { expected, ...place } = findJsonError(text)
    return { ok: false, errors: [sourceError({ path: name, ...place }, `invalid JSON: expected ${expected}`, text)] }
  }
}

const RESTRICTED = 'It is evaluated without access to files, the network, environment variables and other processes'
const UNRESTRICTED =
  'No Node 22.15 or newer was found on this computer, so it is evaluated in a process of the desktop app, which has access to files and the network'

const bundled = async (files: SourceFiles, evaluator: Evaluator, name: string, signal?: AbortSignal) => {
  const bundle = await bundleConfig(files, await loadSdk(), name)
  if (bundle.ok) {
    return { inputs: Object.keys(bundle.inputs), value: evaluate(files, evaluator, name, bundle.code, signal) }
  }
  const value: Value = { ok: false, errors: bundlerErrors(files, bundle.errors) }
  return { inputs: [], value: Promise.resolve(value) }
}

const evaluate = async (
  files: SourceFiles,
  evaluator: Evaluator,
  name: string,
  code: string,
  signal?: AbortSignal,
): Promise<Value> => {
  const evaluation = await evaluator.evaluate(code, signal)
  if (evaluation.kind === 'described') {
    const { config } = evaluation.described
    return config === undefined
      ? { ok: false, errors: [fileError(files, name, 'has no default export, which would be the config')] }
      : { ok: true, value: config }
  }
  const text = `cannot be evaluated: ${evaluation.message}. ${evaluator.isRestricted ? RESTRICTED : UNRESTRICTED}`
  return { ok: false, errors: [fileError(files, name, text)] }
}

const checked = (files: SourceFiles, name: string, value: unknown): ConfigOutcome => {
  if (configs.check(value)) return { ok: true, config: configOf(name, value) }
  const faults = describeFaults('config', configs.errors(value))
  const text = `${faults}: a config has "programs" (globs) and "project" (a name), both optional`
  return { ok: false, errors: [fileError(files, name, text)] }
}

const configOf = (path: string, { programs, project }: Static<typeof Config>): ProjectConfig => ({
  path,
  programs: programs === undefined ? DEFAULT_PROGRAMS : typeof programs === 'string' ? [programs] : programs,
  ...(project !== undefined && { project }),
})
