// Turns evaluated definitions into what the manifest says of them. Runs where they were evaluated, in a process that
// holds nothing else: schemas are live objects of whatever library their author chose.

import { durationMs } from '../durations.ts'

/** How the definers of a describing bundle mark what they return. */
export const DEFINED = Symbol.for('wes.defined')

/** What a describing bundle evaluates to: modules by name. */
export type EvaluatedModules = {
  readonly programs: readonly (readonly [path: string, exports: Exports])[]
  readonly effects: readonly (readonly [path: string, exports: Exports])[]
  /** What a `wes.config` module says. */
  readonly config?: unknown
  /** Of @valibot/to-json-schema, where the project has it. */
  readonly valibotToJsonSchema?: (schema: unknown, options: object) => unknown
}

type Exports = Readonly<Record<string, unknown>>

export type Described = {
  readonly programs: readonly DescribedProgram[]
  readonly effects: readonly DescribedEffect[]
  readonly config?: unknown
}

type Place = { readonly path: string; readonly exportName: string }

export type DescribedProgram = Place &
  (
    | {
        readonly kind: 'program'
        readonly id: string
        readonly description?: string
        readonly inputSchema?: unknown
        readonly events: readonly { readonly name: string; readonly payloadSchema?: unknown }[]
      }
    | { readonly kind: 'fault'; readonly message: string }
  )

export type DescribedEffect = Place &
  (
    | { readonly kind: 'effect'; readonly retry?: Readonly<Record<string, unknown>>; readonly timeoutMs?: number }
    | { readonly kind: 'fault'; readonly message: string }
  )

const PROGRAM_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/
const LONGEST_NAME = 200

export const describeModules = (modules: EvaluatedModules): Described => ({
  programs: modules.programs.flatMap(([path, exports]) =>
    definitionsIn(exports, 'program').map(([exportName, options]) => ({
      path,
      exportName,
      ...attempt(() => describeProgram(options, modules)),
    })),
  ),
  effects: modules.effects.flatMap(([path, exports]) =>
    definitionsIn(exports, 'effect').map(([exportName, options]) => ({
      path,
      exportName,
      ...attempt(() => describeEffect(options)),
    })),
  ),
  ...(modules.config !== undefined && { config: modules.config }),
})

const isRecord = (value: unknown): value is Readonly<Record<PropertyKey, unknown>> =>
  typeof value === 'object' && value !== null

const definitionsIn = (
  exports: Exports,
  kind: string,
): readonly (readonly [string, Readonly<Record<string, unknown>>])[] =>
  Object.keys(exports)
    .toSorted()
    .flatMap((name) => {
      const value = exports[name]
      if (!(isRecord(value) || typeof value === 'function')) return []
      const mark = (value as Readonly<Record<symbol, unknown>>)[DEFINED]
      if (!isRecord(mark) || mark['kind'] !== kind) return []
      return [[name, isRecord(mark['options']) ? mark['options'] : {}] as const]
    })

const attempt = <Outcome>(describe: () => Outcome): Outcome | { readonly kind: 'fault'; readonly message: string } => {
  try {
    return describe()
  } catch (error) {
    return { kind: 'fault', message: error instanceof Error ? error.message : String(error) }
  }
}

const describeProgram = (options: Readonly<Record<string, unknown>>, modules: EvaluatedModules) => {
  const { id, description, input, events } = options
  if (typeof id !== 'string' || !PROGRAM_ID.test(id)) {
    throw new Error(
      `the id of a Program is 1 to 128 letters, digits, dots, hyphens and underscores, and begins with a letter or digit: it is ${shown(id)}`,
    )
  }
  if (description !== undefined && typeof description !== 'string') {
    throw new Error(`the description of Program "${id}" must be text`)
  }
  if (events !== undefined && !Array.isArray(events)) {
    throw new Error(`the events of Program "${id}" must be an array of what defineEvent returned`)
  }
  const inputSchema = jsonSchemaOf(input, `the input of Program "${id}"`, modules)
  return {
    kind: 'program' as const,
    id,
    ...(description !== undefined && { description }),
    ...(inputSchema !== undefined && { inputSchema }),
    events: describeEvents(id, (events ?? []) as readonly unknown[], modules),
  }
}

const describeEvents = (id: string, events: readonly unknown[], modules: EvaluatedModules) => {
  const described = new Map<string, { readonly name: string; readonly payloadSchema?: unknown }>()
  for (const event of events) {
    const name = isRecord(event) ? event['name'] : undefined
    if (!isRecord(event) || typeof name !== 'string' || name.length === 0 || name.length > LONGEST_NAME) {
      throw new Error(
        `the events of Program "${id}" must be what defineEvent returned, with names of 1 to ${LONGEST_NAME} characters`,
      )
    }
    const payloadSchema = jsonSchemaOf(event['schema'], `the payload of event "${name}"`, modules)
    if (described.has(name)) throw new Error(`Program "${id}" lists event "${name}" twice`)
    described.set(name, { name, ...(payloadSchema !== undefined && { payloadSchema }) })
  }
  return [...described.values()]
}

const jsonSchemaOf = (schema: unknown, what: string, modules: EvaluatedModules): unknown => {
  if (schema === undefined || typeof schema === 'boolean') return schema
  if (!isRecord(schema) && typeof schema !== 'function') {
    throw new Error(`${what} must be described by a Standard Schema (zod, valibot, arktype, …) or a JSON Schema`)
  }
  const standard = (schema as Readonly<Record<string, unknown>>)['~standard']
  if (!isRecord(standard)) return schema
  try {
    return asJson(standardJsonSchema(schema as Readonly<Record<string, unknown>>, standard, modules))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`${what} cannot be described as JSON Schema, which it is checked against: ${why}`, { cause: error })
  }
}

const standardJsonSchema = (
  schema: Readonly<Record<string, unknown>>,
  standard: Readonly<Record<PropertyKey, unknown>>,
  { valibotToJsonSchema }: EvaluatedModules,
): unknown => {
  const { jsonSchema, vendor } = standard
  const target = { target: 'draft-2020-12' }
  if (isRecord(jsonSchema) && typeof jsonSchema['input'] === 'function') {
    return (jsonSchema['input'] as (options: object) => unknown).call(jsonSchema, target)
  }
  if (vendor === 'valibot') {
    if (valibotToJsonSchema === undefined) throw new Error('install @valibot/to-json-schema in the project')
    return valibotToJsonSchema(schema, { ...target, typeMode: 'input' })
  }
  const { toJsonSchema } = schema
  if (typeof toJsonSchema === 'function') return (toJsonSchema as () => unknown).call(schema)
  throw new Error(
    `schemas of "${String(vendor)}" in this version do not say how: update the library, or give a JSON Schema`,
  )
}

/** Without `$schema`: the manifest's are all of one draft. */
const asJson = (schema: unknown): unknown => {
  const json = JSON.parse(JSON.stringify(schema)) as unknown
  if (!isRecord(json)) return json
  const { $schema: _, ...rest } = json
  return rest
}

const RETRY = {
  maxAttempts: (value: unknown) => Number.isInteger(value) && (value as number) >= 1,
  initialInterval: (value: unknown) => durationMs(value) !== undefined,
  backoffCoefficient: (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value >= 1,
  maxInterval: (value: unknown) => durationMs(value) !== undefined,
}

const RETRY_WANTED: Readonly<Record<keyof typeof RETRY, string>> = {
  maxAttempts: 'an integer, 1 or more',
  initialInterval: 'a duration: milliseconds, or text such as "90s"',
  backoffCoefficient: 'a number, 1 or more',
  maxInterval: 'a duration: milliseconds, or text such as "90s"',
}

const describeEffect = ({ retry, timeout }: Readonly<Record<string, unknown>>) => {
  const timeoutMs = timeout === undefined ? undefined : durationMs(timeout)
  if (timeout !== undefined && (timeoutMs === undefined || timeoutMs === 0)) {
    throw new Error(`timeout must be a duration above 0: milliseconds, or text such as "90s"; it is ${shown(timeout)}`)
  }
  if (retry !== undefined && !isRecord(retry)) throw new Error(`retry must be an object; it is ${shown(retry)}`)
  const policy: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(retry ?? {})) {
    if (value === undefined) continue
    if (!Object.hasOwn(RETRY, name)) throw new Error(`retry has no "${name}": it has ${Object.keys(RETRY).join(', ')}`)
    const member = name as keyof typeof RETRY
    if (!RETRY[member](value)) throw new Error(`retry.${name} must be ${RETRY_WANTED[member]}; it is ${shown(value)}`)
    policy[name] = value
  }
  return {
    kind: 'effect' as const,
    ...(retry !== undefined && { retry: policy }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  }
}

const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
