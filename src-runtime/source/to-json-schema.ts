// Converts the schemas of definitions to JSON Schema. They are live objects of the author's schema library.

import { messageOf } from '../shared/message-of.ts'

export type JsonSchema = boolean | Readonly<Record<string, unknown>>

/** Converts a vendor's schemas to JSON Schema: the project's own copy of a package, if it has one. */
export const CONVERTERS: Readonly<
  Record<string, { readonly package: string; readonly export: string; readonly options: object }>
> = {
  valibot: { package: '@valibot/to-json-schema', export: 'toJsonSchema', options: { typeMode: 'input' } },
  zod: { package: 'zod/v4/core', export: 'toJSONSchema', options: { io: 'input' } },
}

/** By vendor; undefined where the project has no such package. */
export type Converters = Readonly<Record<string, ((schema: unknown, options: object) => unknown) | undefined>>

export class ConverterNeeded extends Error {
  readonly vendor: string
  constructor(vendor: string) {
    super(`a converter for schemas of ${vendor} is needed`)
    this.vendor = vendor
  }
}

export const isRecord = (value: unknown): value is Readonly<Record<PropertyKey, unknown>> =>
  typeof value === 'object' && value !== null

/** In the words of zod, and of valibot. */
const NO_JSON = /cannot be (?:represented in|converted to) JSON Schema/i

/** A schema of zod converts no schemas of zod/mini within it, and zod's converter does. */
const HOLDS_MINI = /^\[toJSONSchema\]: Non-representable type encountered/

/** The schemas of some libraries are functions. */
const standardOf = (schema: unknown): unknown =>
  isRecord(schema) || typeof schema === 'function'
    ? (schema as Readonly<Record<string, unknown>>)['~standard']
    : undefined

/** `what` the schema is of, for errors. Throws ConverterNeeded where a converter may do it. */
export const jsonSchemaOf = (schema: unknown, what: string, converters: Converters): JsonSchema | undefined => {
  if (schema === undefined || typeof schema === 'boolean') return schema
  const isObject = isRecord(schema) && !Array.isArray(schema)
  const standard = standardOf(schema)
  if (!isObject && !isRecord(standard)) {
    throw new Error(`${what} must have a Standard Schema (zod, valibot, arktype, …) or a JSON Schema`)
  }
  if (!isRecord(standard)) return plainSchema(schema as Readonly<Record<string, unknown>>, what)
  try {
    return asJson(standardJsonSchema(schema as Readonly<Record<string, unknown>>, standard, converters))
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
  // Schemas of some libraries have members that are keywords, and functions that check values, which JSON would leave out.
  const method = names.find((name) => typeof schema[name] === 'function')
  if (method !== undefined) {
    throw new Error(
      `${what} must have a Standard Schema or a JSON Schema: its "${method}" is a function, so it is a schema of a library that is not a Standard Schema`,
    )
  }
  return asJson(schema)
}

const standardJsonSchema = (
  schema: Readonly<Record<string, unknown>>,
  standard: Readonly<Record<PropertyKey, unknown>>,
  converters: Converters,
): unknown => {
  const { jsonSchema, vendor } = standard
  const target = { target: 'draft-2020-12' }
  if (isRecord(jsonSchema) && typeof jsonSchema['input'] === 'function') {
    if (vendor === 'arktype') refuseLeftOut(schema['in'] as ArkType)
    const convert = (options: object): unknown =>
      (jsonSchema['input'] as (options: object) => unknown).call(jsonSchema, options)
    try {
      return tellingWhere(
        () => convert(target),
        (libraryOptions) => convert({ ...target, libraryOptions }),
      )
    } catch (error) {
      if (vendor !== 'zod' || !HOLDS_MINI.test(messageOf(error))) throw error
    }
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
  const convert = converters[vendor]
  if (convert === undefined) throw new ConverterNeeded(vendor)
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
    try {
      ask({ unrepresentable })
    } catch {
      // It fails in the same way.
    }
    const why = messageOf(error)
    throw path.length === 0 ? error : new Error(`${why}, at ${path.map(String).join('.')}`, { cause: error })
  }
}

/** Removes `$schema`, because all schemas of the manifest have the same draft. */
const asJson = (schema: unknown): JsonSchema => {
  const { $schema: _, ...json } = JSON.parse(JSON.stringify(schema)) as Readonly<Record<string, unknown>>
  return json
}
