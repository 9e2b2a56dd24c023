// Turns evaluated definitions into manifest entries. Runs in the process that evaluated them, because schemas are live
// objects of the author's schema library.

import { isEventName, NAME_LIMIT } from '../shared/event-names.ts'
import { isWithin, RETRY_LIMITS } from '../shared/retry-limits.ts'
import { durationMs } from '../shared/durations.ts'
import { messageOf } from '../shared/message-of.ts'
import { PROGRAM_ID_PATTERN } from '../shared/patterns.ts'

/** Marks the values that the define functions of a describing bundle return. */
export const DEFINED = Symbol.for('wes.defined')

/** The result of a describing bundle, which has modules of one kind, by name, or the value of a `wes.config` module. */
export type EvaluatedModules = {
  readonly programs?: readonly (readonly [path: string, exports: Exports])[]
  readonly effects?: readonly (readonly [path: string, exports: Exports])[]
  readonly config?: unknown
  /** By vendor, for libraries whose schemas cannot convert themselves to JSON Schema. */
  readonly converters: Readonly<Record<string, ((schema: unknown, options: object) => unknown) | undefined>>
}

/** Converts a vendor's schemas to JSON Schema: the project's own copy of a package, if it has one. */
export const CONVERTERS: Readonly<
  Record<string, { readonly package: string; readonly export: string; readonly options: object }>
> = {
  valibot: { package: '@valibot/to-json-schema', export: 'toJsonSchema', options: { typeMode: 'input' } },
  zod: { package: 'zod/v4/core', export: 'toJSONSchema', options: { io: 'input' } },
}

type Exports = Readonly<Record<string, unknown>>

export type Described = {
  readonly programs: readonly DescribedProgram[]
  readonly effects: readonly DescribedEffect[]
  readonly config?: unknown
}

type JsonSchema = boolean | Readonly<Record<string, unknown>>

type Place = { readonly path: string; readonly exportName: string }

export type DescribedProgram = Place &
  (
    | {
        readonly kind: 'program'
        readonly id: string
        readonly description?: string
        readonly inputSchema?: JsonSchema
        readonly events: readonly { readonly name: string; readonly payloadSchema?: JsonSchema }[]
      }
    /** `isList`: the exported value is not a Program, but a list of them. */
    | { readonly kind: 'fault'; readonly message: string; readonly isList?: true }
    /** To be described again, with the converter of that vendor. */
    | { readonly kind: 'converter_needed'; readonly vendor: string }
  )

export type DescribedEffect = Place &
  (
    | {
        readonly kind: 'effect'
        readonly retry?: Readonly<Record<string, number | string>>
        readonly timeoutMs?: number
      }
    | { readonly kind: 'fault'; readonly message: string }
  )

const PROGRAM_ID = new RegExp(PROGRAM_ID_PATTERN)

export const describeModules = (modules: EvaluatedModules): Described => ({
  programs: (modules.programs ?? []).flatMap(([path, exports]) => [
    ...definitionsIn(exports, 'program').map(([exportName, mark]) => ({
      path,
      exportName,
      ...attempt(() => orConverter(() => describeProgram(optionsOf(mark, PROGRAM), modules))),
    })),
    ...listsIn(exports).map(([exportName, list]) => ({
      path,
      exportName,
      kind: 'fault' as const,
      message: `the Programs in this ${list} are not exported: export each by name`,
      isList: true as const,
    })),
  ]),
  effects: (modules.effects ?? []).flatMap(([path, exports]) =>
    definitionsIn(exports, 'effect').map(([exportName, mark]) => ({
      path,
      exportName,
      ...attempt(() => describeEffect(optionsOf(mark, EFFECT))),
    })),
  ),
  ...(modules.config !== undefined && { config: plainConfig(modules.config) }),
})

/** Refuses what the answer's JSON would turn into an empty object or leave out. */
const plainConfig = (config: unknown): unknown => {
  const kind = typeof config === 'function' ? 'function' : config instanceof Promise ? 'promise' : undefined
  if (kind === undefined) return config
  throw new TypeError(`its default export is a ${kind}: export the object itself`)
}

const isRecord = (value: unknown): value is Readonly<Record<PropertyKey, unknown>> =>
  typeof value === 'object' && value !== null

const definitionsIn = (exports: Exports, kind: string): readonly (readonly [string, Mark])[] =>
  Object.keys(exports)
    .toSorted()
    .flatMap((name) => {
      const mark = markOf(exports[name])
      return mark?.['kind'] === kind ? [[name, mark] as const] : []
    })

/** `wanted`: in the words of the define function, which throws when the definition is loaded. */
type DefineFunction = { readonly name: string; readonly wanted: string; readonly options: readonly string[] }
const PROGRAM: DefineFunction = {
  name: 'defineProgram',
  wanted: 'defineProgram takes options with an id, and the function that is the Program',
  options: ['id', 'description', 'input', 'events', 'label'],
}
const EFFECT: DefineFunction = {
  name: 'defineEffect',
  wanted: 'defineEffect takes the options of an effect, and its function',
  options: ['retry', 'timeout'],
}

/** A misspelt option would be ignored: a Program without its schema, or an effect with another policy. */
const optionsOf = ({ options, hasFunction }: Mark, called: DefineFunction): Readonly<Record<string, unknown>> => {
  if (!isRecord(options) || hasFunction !== true) throw new TypeError(called.wanted)
  const unknown = Object.keys(options).find((name) => options[name] !== undefined && !called.options.includes(name))
  if (unknown === undefined) return options
  throw new TypeError(`${called.name} has no option "${unknown}": it has ${called.options.join(', ')}`)
}

type Mark = Readonly<Record<PropertyKey, unknown>>

const markOf = (value: unknown): Mark | undefined => {
  if (!isRecord(value) && typeof value !== 'function') return undefined
  const mark = (value as Readonly<Record<symbol, unknown>>)[DEFINED]
  return isRecord(mark) ? mark : undefined
}

const LEVELS = 2

/** The exported arrays and objects with Programs that the module does not export itself. */
const listsIn = (exports: Exports): readonly (readonly [string, 'array' | 'object'])[] => {
  const exported = new Set(Object.values(exports))
  const holds = (list: unknown, levels = LEVELS): boolean =>
    isList(list) &&
    Object.values(list).some(
      (item) =>
        (markOf(item)?.['kind'] === 'program' && !exported.has(item)) || (levels > 1 && holds(item, levels - 1)),
    )
  return Object.entries(exports).flatMap(([name, value]) =>
    holds(value) ? [[name, Array.isArray(value) ? 'array' : 'object'] as const] : [],
  )
}

const isList = (value: unknown): value is object =>
  isRecord(value) &&
  markOf(value) === undefined &&
  (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype)

class ConverterNeeded extends Error {
  readonly vendor: string
  constructor(vendor: string) {
    super(`a converter for schemas of ${vendor} is needed`)
    this.vendor = vendor
  }
}

type Fault = { readonly kind: 'fault'; readonly message: string }

const attempt = <Outcome>(describe: () => Outcome): Outcome | Fault => {
  try {
    return describe()
  } catch (error) {
    return { kind: 'fault', message: messageOf(error) }
  }
}

const orConverter = <Outcome>(describe: () => Outcome) => {
  try {
    return describe()
  } catch (error) {
    if (error instanceof ConverterNeeded) return { kind: 'converter_needed' as const, vendor: error.vendor }
    throw error
  }
}

const describeProgram = (options: Readonly<Record<string, unknown>>, modules: EvaluatedModules) => {
  const { id, description, input, events, label } = options
  if (typeof id !== 'string' || !PROGRAM_ID.test(id)) {
    throw new Error(
      `the id of a Program must be 1 to 128 letters, digits, dots, hyphens and underscores, and begin with a letter or digit; it is ${shown(id)}`,
    )
  }
  if (description !== undefined && typeof description !== 'string') {
    throw new Error(`the description of Program "${id}" must be text`)
  }
  if (label !== undefined && typeof label !== 'function') {
    throw new Error(`the label of Program "${id}" must be a function of its input`)
  }
  if (events !== undefined && !Array.isArray(events)) {
    throw new Error(`the events of Program "${id}" must be an array of events from defineEvent`)
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
  const described = new Map<string, { readonly name: string; readonly payloadSchema?: JsonSchema }>()
  for (const event of events) {
    const name = isRecord(event) ? event['name'] : undefined
    if (!isRecord(event) || typeof name !== 'string' || !isEventName(name)) {
      throw new Error(
        `the events of Program "${id}" must come from defineEvent, with names of 1 to ${NAME_LIMIT} characters, none of them U+0000 or half a surrogate pair`,
      )
    }
    const payloadSchema = jsonSchemaOf(event['schema'], `the payload of event "${name}"`, modules)
    if (described.has(name)) throw new Error(`Program "${id}" lists event "${name}" twice`)
    described.set(name, { name, ...(payloadSchema !== undefined && { payloadSchema }) })
  }
  return [...described.values()]
}

/** In the words of zod, and of valibot. */
const NO_JSON = /cannot be (?:represented in|converted to) JSON Schema/i

/** The schemas of some libraries are functions. */
const standardOf = (schema: unknown): unknown =>
  isRecord(schema) || typeof schema === 'function'
    ? (schema as Readonly<Record<string, unknown>>)['~standard']
    : undefined

const jsonSchemaOf = (schema: unknown, what: string, modules: EvaluatedModules): JsonSchema | undefined => {
  if (schema === undefined || typeof schema === 'boolean') return schema
  const isObject = isRecord(schema) && !Array.isArray(schema)
  const standard = standardOf(schema)
  if (!isObject && !isRecord(standard)) {
    throw new Error(`${what} must have a Standard Schema (zod, valibot, arktype, …) or a JSON Schema`)
  }
  if (!isRecord(standard)) return plainSchema(schema as Readonly<Record<string, unknown>>, what)
  try {
    return asJson(standardJsonSchema(schema as Readonly<Record<string, unknown>>, standard, modules))
  } catch (error) {
    if (error instanceof ConverterNeeded) throw error
    const why = messageOf(error).replace(/\.$/, '')
    const advice = NO_JSON.test(why) ? '. What callers send is JSON, in which a date, for example, is text' : ''
    throw new Error(`the schema of ${what} cannot be converted to JSON Schema: ${why}${advice}`, { cause: error })
  }
}

const KEYWORDS = new Set(
  (
    '$anchor $comment $defs $dynamicAnchor $dynamicRef $id $ref $schema $vocabulary additionalItems additionalProperties allOf ' +
    'anyOf const contains contentEncoding contentMediaType contentSchema default definitions dependencies dependentRequired ' +
    'dependentSchemas deprecated description else enum examples exclusiveMaximum exclusiveMinimum format if items maxContains ' +
    'maxItems maxLength maxProperties maximum minContains minItems minLength minProperties minimum multipleOf not oneOf pattern ' +
    'patternProperties prefixItems properties propertyNames readOnly required then title type unevaluatedItems ' +
    'unevaluatedProperties uniqueItems writeOnly'
  ).split(' '),
)

/** JSON Schema ignores unknown members, so `{ name: 'string' }` or `{ name: z.string() }` would accept any input. */
const plainSchema = (schema: Readonly<Record<string, unknown>>, what: string): JsonSchema => {
  const names = Object.keys(schema)
  const unknown = names.some((name) => KEYWORDS.has(name)) ? undefined : names[0]
  // A member such as `title` is a keyword, too.
  const wrong = names.find((name) => isRecord(standardOf(schema[name]))) ?? unknown
  if (wrong !== undefined) {
    throw new Error(
      `${what} must have one Standard Schema or JSON Schema for the whole object, such as z.object({ … }) of zod or { type: 'object', properties: { … } }, not one for each member, such as "${wrong}"`,
    )
  }
  return asJson(schema)
}

const standardJsonSchema = (
  schema: Readonly<Record<string, unknown>>,
  standard: Readonly<Record<PropertyKey, unknown>>,
  { converters }: EvaluatedModules,
): unknown => {
  const { jsonSchema, vendor } = standard
  const target = { target: 'draft-2020-12' }
  if (isRecord(jsonSchema) && typeof jsonSchema['input'] === 'function') {
    if (vendor === 'arktype') refuseLeftOut(schema['in'] as ArkType)
    const convert = (options: object): unknown =>
      (jsonSchema['input'] as (options: object) => unknown).call(jsonSchema, options)
    return tellingWhere(
      () => convert(target),
      (libraryOptions) => convert({ ...target, libraryOptions }),
    )
  }
  const { toJsonSchema } = schema
  if (typeof toJsonSchema === 'function') return (toJsonSchema as () => unknown).call(schema)
  const converter = typeof vendor === 'string' && Object.hasOwn(CONVERTERS, vendor) ? CONVERTERS[vendor] : undefined
  if (converter === undefined || typeof vendor !== 'string') {
    throw new Error(
      `this schema of "${String(vendor)}" offers none: use a version or an adapter of the library that does, or a JSON Schema`,
    )
  }
  if (vendor === 'zod' && !('_zod' in schema)) {
    throw new Error('it is a schema of zod 3: use zod 4, which zod 3.25 and newer have as "zod/v4", or a JSON Schema')
  }
  if (!Object.hasOwn(converters, vendor)) throw new ConverterNeeded(vendor)
  const convert = converters[vendor]
  if (convert === undefined) throw new Error(`install ${converter.package} in the project`)
  const options = { ...target, ...converter.options }
  return tellingWhere(
    () => convert(schema, options),
    (more) => convert(schema, { ...options, ...more }),
  )
}

type ArkType = { readonly toJsonSchema: (options: object) => unknown }
type Unrepresentable = { readonly proto?: { readonly name: string }; readonly domain?: string; readonly unit?: unknown }

const base = (context: { readonly base: unknown }): unknown => context.base
/** What may be left out: the rest of the schema still says something about the value. */
const LEFT_OUT = {
  ...{ arrayObject: base, arrayPostfix: base, defaultValue: base, morph: base },
  ...{ patternIntersection: base, predicate: base, symbolKey: base },
}

/** As a Standard Schema, arktype's has an empty JSON Schema in place of a Date or a bigint, so that any value would be valid. */
const refuseLeftOut = (input: ArkType): void => {
  try {
    input.toJsonSchema({ fallback: LEFT_OUT })
  } catch (error) {
    const { code, context = {} } = error as { readonly code?: string; readonly context?: Unrepresentable }
    if (code !== 'date' && code !== 'proto' && code !== 'domain' && code !== 'unit') return
    const what = code === 'date' ? 'Date' : (context.proto?.name ?? context.domain ?? String(context.unit))
    throw new Error(`${what} cannot be represented in JSON Schema`, { cause: error })
  }
}

/** Newer versions of zod say where in a schema is what JSON Schema does not have, if they are asked. */
const tellingWhere = (convert: () => unknown, ask: (options: object) => unknown): unknown => {
  try {
    return convert()
  } catch (error) {
    let path: readonly PropertyKey[] = []
    const unrepresentable = (found: { readonly path?: readonly PropertyKey[] }): 'throw' => {
      path = found.path ?? []
      return 'throw'
    }
    attempt(() => ask({ unrepresentable }))
    const why = messageOf(error)
    throw path.length === 0 ? error : new Error(`${why}, at ${path.map(String).join('.')}`, { cause: error })
  }
}

/** Removes `$schema`, because all schemas of the manifest have the same draft. */
const asJson = (schema: unknown): JsonSchema => {
  const { $schema: _, ...json } = JSON.parse(JSON.stringify(schema)) as Readonly<Record<string, unknown>>
  return json
}

const RETRY = {
  maxAttempts: (value: unknown) => Number.isInteger(value) && isWithin(RETRY_LIMITS.maxAttempts, value),
  initialInterval: (value: unknown) => isWithin(RETRY_LIMITS.intervalMs, durationMs(value)),
  backoffCoefficient: (value: unknown) => isWithin(RETRY_LIMITS.backoffCoefficient, value),
  maxInterval: (value: unknown) => isWithin(RETRY_LIMITS.intervalMs, durationMs(value)),
}

const RETRY_WANTED: Readonly<Record<keyof typeof RETRY, string>> = {
  maxAttempts: 'an integer from 1 to 1,000,000',
  initialInterval: 'a duration of at most 365 days: milliseconds, or text such as "90s"',
  backoffCoefficient: 'a number from 1 to 100',
  maxInterval: 'a duration of at most 365 days: milliseconds, or text such as "90s"',
}

const describeEffect = ({ retry, timeout }: Readonly<Record<string, unknown>>) => {
  const timeoutMs = timeout === undefined ? undefined : durationMs(timeout)
  if (timeout !== undefined && (timeoutMs === undefined || timeoutMs === 0)) {
    throw new Error(`timeout must be a duration above 0: milliseconds, or text such as "90s"; it is ${shown(timeout)}`)
  }
  if (retry !== undefined && !isRecord(retry)) throw new Error(`retry must be an object; it is ${shown(retry)}`)
  const policy: Record<string, number | string> = {}
  for (const [name, value] of Object.entries(retry ?? {})) {
    if (value === undefined) continue
    if (!Object.hasOwn(RETRY, name)) throw new Error(`retry has no "${name}": it has ${Object.keys(RETRY).join(', ')}`)
    const member = name as keyof typeof RETRY
    if (!RETRY[member](value)) throw new Error(`retry.${name} must be ${RETRY_WANTED[member]}; it is ${shown(value)}`)
    policy[name] = value as number | string
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
