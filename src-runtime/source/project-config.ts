// Reads a project's `wes.config.*`. Code is evaluated like schemas: in the evaluator process.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { createValidator } from '../shared/create-validator.ts'
import { describeFaults } from '../shared/schema-faults.ts'
import { bundleConfig } from './bundle-definitions.ts'
import { bundlerErrors } from './bundler-errors.ts'
import { DEFAULT_PROGRAMS } from './discover.ts'
import type { Evaluator } from './evaluator.ts'
import { loadSdk } from './sdk-module.ts'
import { placeOf, sourceError, type SourceError } from './source-error.ts'
import type { SourceFiles } from './source-files.ts'

export type ProjectConfig = {
  /** The globs of Program modules. */
  readonly programs: readonly string[]
  /** The name or id of the project that the Programs belong to; else the default project. */
  readonly project?: string
  /** Its file, if there is one. */
  readonly path?: string
}

export type ConfigReading =
  | { readonly ok: true; readonly config: ProjectConfig; readonly inputs: readonly string[] }
  | { readonly ok: false; readonly errors: readonly SourceError[]; readonly inputs: readonly string[] }

const CONFIG_NAMES = ['wes.config.ts', 'wes.config.mts', 'wes.config.js', 'wes.config.mjs', 'wes.config.json']

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

export const readProjectConfig = async (files: SourceFiles, evaluator: Evaluator): Promise<ConfigReading> => {
  const name = CONFIG_NAMES.find((candidate) => existsSync(join(files.folder, candidate)))
  if (name === undefined) return { ok: true, config: { programs: DEFAULT_PROGRAMS }, inputs: CONFIG_NAMES }
  const reading = name.endsWith('.json') ? readJson(files, name) : await evaluateConfig(files, evaluator, name)
  const inputs = [...CONFIG_NAMES, ...reading.inputs]
  return reading.ok ? { ...checked(files, name, reading.value), inputs } : { ...reading, inputs }
}

type Value =
  | { readonly ok: true; readonly value: unknown; readonly inputs: readonly string[] }
  | { readonly ok: false; readonly errors: readonly SourceError[]; readonly inputs: readonly string[] }

const readJson = (files: SourceFiles, name: string): Value => {
  const text = readFileSync(files.fileOf(name), 'utf8').replace(/^\ufeff/, '')
  try {
    return { ok: true, value: JSON.parse(text) as unknown, inputs: [] }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const at = Number(/position (\d+)/.exec(message)?.[1] ?? 0)
    return { ok: false, errors: [sourceError(placeOf(name, text, at), message, text)], inputs: [] }
  }
}

const RESTRICTED = 'It is evaluated without access to files, the network, environment variables and other processes'
const UNRESTRICTED =
  'No Node 22.15 or newer was found on this computer, so it is evaluated in a process of the desktop app, which has access to files and the network'

const evaluateConfig = async (files: SourceFiles, evaluator: Evaluator, name: string): Promise<Value> => {
  const bundle = await bundleConfig(files, await loadSdk(), name)
  if (!bundle.ok) return { ok: false, errors: bundlerErrors(files, bundle.errors), inputs: [] }
  const inputs = Object.keys(bundle.inputs)
  const evaluation = await evaluator.evaluate(bundle.code)
  if (evaluation.kind === 'described') return { ok: true, value: evaluation.described.config, inputs }
  const text = `cannot be evaluated: ${evaluation.message}. ${evaluator.isRestricted ? RESTRICTED : UNRESTRICTED}`
  return { ok: false, errors: [sourceError({ path: name, line: 1, column: 1 }, text, files.text(name))], inputs }
}

const checked = (files: SourceFiles, name: string, value: unknown) => {
  if (configs.check(value)) return { ok: true as const, config: configOf(name, value) }
  const faults = describeFaults('config', configs.errors(value))
  const text = `${faults}: a config has "programs" (globs) and "project" (a name), both optional`
  return { ok: false as const, errors: [sourceError({ path: name, line: 1, column: 1 }, text, files.text(name))] }
}

const configOf = (path: string, { programs, project }: Static<typeof Config>): ProjectConfig => ({
  path,
  programs: programs === undefined ? DEFAULT_PROGRAMS : typeof programs === 'string' ? [programs] : programs,
  ...(project !== undefined && { project }),
})
