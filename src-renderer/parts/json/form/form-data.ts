// Converts between the page's values and the form library's. The library knows only plain JSON, copies objects member
// by member, and has errors as trees. Pure.

import type { ErrorSchema, RJSFSchema } from '@rjsf/utils'
import type { JsonSchema } from '#sdk/index.ts'
import { ExactNumber } from '../../../exact-json.ts'
import { ownMember } from '../../../own-member.ts'
import { segmentsOf } from '../json-pointer.ts'
import type { SchemaFault } from '../schema-check.ts'
import { isNullSchema, typesOf, withoutNullAlternative } from './nullable.ts'

/** A prefix that no typed text has. */
const EXACT = '\u0000exact:'

/** Exact numbers become strings with this prefix. */
export const toFormData = (value: unknown): unknown =>
  mapLeaves(value, (leaf) => (leaf instanceof ExactNumber ? EXACT + leaf.source : leaf))

export const fromFormData = (data: unknown): unknown =>
  mapLeaves(data, (leaf) =>
    typeof leaf === 'string' && leaf.startsWith(EXACT) ? new ExactNumber(leaf.slice(EXACT.length)) : leaf,
  )

/** The text of a number, with or without the prefix. */
export const numberText = (data: unknown): string => {
  if (typeof data === 'string') return data.startsWith(EXACT) ? data.slice(EXACT.length) : data
  return typeof data === 'number' || typeof data === 'boolean' ? String(data) : ''
}

const mapLeaves = (value: unknown, map: (leaf: unknown) => unknown): unknown => {
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return map(value)
  if (Array.isArray(value)) return value.map((item) => mapLeaves(item, map))
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, mapLeaves(member, map)]),
  )
}

type Tree = { [name: string]: Tree | string[] }

/** Puts each fault at its field. */
export const errorTreeOf = (faults: readonly SchemaFault[]): ErrorSchema => {
  const root = Object.create(null) as Tree
  for (const fault of faults) {
    let node = root
    for (const segment of segmentsOf(fault.path)) {
      const next = (node[segment] ??= Object.create(null) as Tree)
      if (Array.isArray(next)) break
      node = next
    }
    const errors = (node['__errors'] ??= [])
    if (Array.isArray(errors)) errors.push(fault.message)
  }
  return root as ErrorSchema
}

const LARGEST_TEXT = 100_000
const MOST_NODES = 1_000

/** Why a form cannot show this schema and value; undefined when it can. */
export const formRefusal = (schema: JsonSchema | undefined, value: unknown, text: string): string | undefined => {
  if (schema === undefined) return 'The Program declares no schema'
  if (typeof schema === 'boolean' || !saysSomething(schema)) return 'The schema has no fields to show'
  if (countNodes(schema) > MOST_NODES) return 'The schema is too large for a form'
  if (text.length > LARGEST_TEXT) return 'The value is too large for a form'
  if (value === undefined) return undefined
  if (hasUnfitNames(value)) return 'The value has member names that a form cannot edit'
  const isObject =
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber)
  if (schema['type'] === 'object' && !isObject) return 'The form needs an object'
  if (schema['type'] === 'array' && !Array.isArray(value)) return 'The form needs a list'
  return undefined
}

const TELLING = ['type', 'properties', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', '$ref']
const CONTENTS: Readonly<Record<string, readonly string[]>> = {
  object: ['properties', 'additionalProperties', 'patternProperties', 'anyOf', 'oneOf', 'allOf', '$ref'],
  array: ['items', 'prefixItems'],
}

/** For objects and lists, keywords that describe their contents. */
const saysSomething = (schema: Readonly<Record<string, unknown>>): boolean => {
  const [type, ...others] = typesOf(schema)
  const contents = typeof type === 'string' && others.length === 0 ? ownMember(CONTENTS, type) : undefined
  return (contents ?? TELLING).some((keyword) => keyword in schema)
}

const countNodes = (root: unknown): number => {
  let count = 0
  const waiting = [root]
  while (waiting.length > 0 && count <= MOST_NODES) {
    const node = waiting.pop()
    if (typeof node !== 'object' || node === null) continue
    count += 1
    waiting.push(...(Object.values(node) as readonly unknown[]))
  }
  return count
}

const hasUnfitNames = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(hasUnfitNames)
  return Object.entries(value).some(
    ([name, member]) => ['__proto__', 'constructor', 'prototype', '__errors'].includes(name) || hasUnfitNames(member),
  )
}

/** Marks a schema that accepts anything. The library has no field for that. */
export const TAKES_ANYTHING = 'x-anything'

/** Marks an alternative whose title was added here. */
export const NAMED_HERE = 'x-named'

/** Copies a schema for the form library: every alternative gets a title, and a constant becomes a choice of one. */
export const formSchema = (schema: JsonSchema): RJSFSchema => prepare(structuredClone(schema)) as RJSFSchema

const prepare = (node: unknown): unknown => {
  if (typeof node !== 'object' || node === null) return node
  const schema = node as Record<string, unknown>
  const nullable = withoutNullAlternative(schema)
  if (nullable !== undefined) {
    delete schema['anyOf']
    delete schema['oneOf']
    Object.assign(schema, nullable)
  }
  for (const keyword of ['anyOf', 'oneOf']) {
    const options = schema[keyword]
    if (!Array.isArray(options)) continue
    const named = (options as readonly unknown[]).map((option) => (isNullSchema(option) ? { type: 'null' } : option))
    nameOptions(named.filter(isSchema))
    schema[keyword] = named
  }
  const members = schema['properties']
  if (typeof members === 'object' && members !== null) {
    schema['properties'] = Object.fromEntries(Object.entries(members).map(([name, member]) => [name, asField(member)]))
  }
  for (const inner of Object.values(schema)) prepare(inner)
  return schema
}

const asField = (member: unknown): unknown => {
  if (member === true) return { [TAKES_ANYTHING]: true, type: 'string' }
  if (!isSchema(member)) return member
  const schema = withoutNullAlternative(member) ?? member
  if ('const' in schema && !('enum' in schema)) return { ...schema, enum: [schema['const']] }
  const isOfOneType = typesOf(schema).length === 1
  if ('enum' in schema) return isOfOneType ? schema : { ...schema, type: 'string' }
  return isOfOneType && saysSomething(schema) ? schema : { ...schema, [TAKES_ANYTHING]: true, type: 'string' }
}

const isSchema = (option: unknown): option is Record<string, unknown> => typeof option === 'object' && option !== null

/** Alternatives that would have the same title are told apart by what they allow, or by their number. */
const nameOptions = (options: readonly Record<string, unknown>[]): void => {
  for (const option of options) nameOption(option)
  for (const [title, alike] of sameTitles(options)) {
    for (const option of alike) {
      const allowed = allowedBy(option)
      if (NAMED_HERE in option && allowed !== '') option['title'] = `${title} (${allowed})`
    }
  }
  for (const [title, alike] of sameTitles(options)) {
    for (const [index, option] of alike.entries()) if (NAMED_HERE in option) option['title'] = `${title} ${index + 1}`
  }
}

/** By title, the alternatives that share it. */
const sameTitles = (options: readonly Record<string, unknown>[]): readonly [string, Record<string, unknown>[]][] => {
  const byTitle = Map.groupBy(options, ({ title }) => (typeof title === 'string' ? title : ''))
  return [...byTitle].filter(([title, alike]) => title !== '' && alike.length > 1)
}

/** In a few words: a format, a pattern, or the names of members. */
const allowedBy = ({ format, pattern, properties }: Record<string, unknown>): string => {
  if (typeof format === 'string') return format
  if (typeof pattern === 'string') return pattern
  return Object.keys((properties as object | undefined) ?? {})
    .slice(0, 3)
    .join(', ')
}

/** Titles an alternative by its tag (`kind: "circle"`), or by its type. */
const nameOption = (option: Record<string, unknown>): void => {
  if (option['title'] !== undefined || 'const' in option) return
  const members = Object.entries((option['properties'] ?? {}) as Readonly<Record<string, unknown>>)
  const tag = members.find(([, member]) => typeof member === 'object' && member !== null && 'const' in member)
  if (tag !== undefined) option['title'] = `${tag[0]}: ${JSON.stringify((tag[1] as { const: unknown }).const)}`
  else if (typeof option['type'] === 'string') option['title'] = option['type']
  if (option['title'] !== undefined) option[NAMED_HERE] = true
}

/** The initial value of an input: the defaults and constants of the schema, and nothing else. */
export const startingValue = (schema: JsonSchema | undefined): unknown => {
  if (schema === undefined || typeof schema === 'boolean') return undefined
  if ('default' in schema) return schema['default']
  if ('const' in schema) return schema['const']
  const { properties, type } = schema
  if (typeof properties !== 'object' || properties === null) return type === 'object' ? {} : undefined
  return Object.fromEntries(
    Object.entries(properties as Readonly<Record<string, JsonSchema>>)
      .map(([name, member]) => [name, startingMember(member)] as const)
      .filter(([, member]) => member !== undefined),
  )
}

const startingMember = (schema: JsonSchema): unknown => {
  const value = startingValue(schema)
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
  return isEmpty && typeof schema !== 'boolean' && !('default' in schema) ? undefined : value
}
