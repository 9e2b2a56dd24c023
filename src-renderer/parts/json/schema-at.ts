// Finds what a JSON Schema says about a place in a value, for completion in half-written text. Pure.

import type { JsonSchema } from '#sdk/index.ts'
import { localTarget } from './schema-limits.ts'

export type SchemaNode = Readonly<Record<string, unknown>>

const MOST_NODES = 200

const isNode = (value: unknown): value is SchemaNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * All subschemas that may apply at a place, from every alternative, because the text does not yet say which is meant.
 */
export const schemasAt = (root: JsonSchema, segments: readonly string[]): readonly SchemaNode[] =>
  segments.reduce<readonly SchemaNode[]>(
    (nodes, segment) =>
      spread(
        root,
        nodes.flatMap((node) => childrenAt(node, segment)),
      ),
    spread(root, [root]),
  )

/** Follows references and alternatives. */
const spread = (root: JsonSchema, nodes: readonly unknown[]): readonly SchemaNode[] => {
  const found = new Set<SchemaNode>()
  const waiting = [...nodes]
  while (waiting.length > 0) {
    const node = waiting.shift()
    if (!isNode(node) || found.has(node) || found.size === MOST_NODES) continue
    found.add(node)
    if (typeof node['$ref'] === 'string') waiting.push(localTarget(root, node['$ref']) ?? {})
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      if (Array.isArray(node[keyword])) waiting.push(...(node[keyword] as readonly unknown[]))
    }
    waiting.push(...[node['then'], node['else']].filter(isNode))
  }
  return [...found]
}

const childrenAt = (node: SchemaNode, segment: string): readonly unknown[] => {
  const members = node['properties']
  if (isNode(members) && Object.hasOwn(members, segment)) return [members[segment]]
  const index = /^\d+$/.test(segment) ? Number(segment) : undefined
  if (index === undefined) return [node['additionalProperties']]
  const items = Array.isArray(node['prefixItems']) ? node['prefixItems'] : node['items']
  if (!Array.isArray(items)) return [items, node['additionalProperties']]
  return [items[index] ?? node[items === node['items'] ? 'additionalItems' : 'items']]
}

export type Suggestion = {
  readonly text: string
  /** The type, in a word or two. */
  readonly detail: string
  readonly description: string | undefined
  readonly required?: boolean
}

const described = (node: SchemaNode): string | undefined => {
  const text = node['description'] ?? node['title']
  return typeof text === 'string' ? text : undefined
}

const typeOf = (node: SchemaNode): string => {
  if (Array.isArray(node['type'])) return node['type'].join(' or ')
  if (typeof node['type'] === 'string') return node['type']
  if (Array.isArray(node['enum'])) return 'one of a few'
  return isNode(node['properties']) ? 'object' : ''
}

/** The members of an object at this place, required ones first. */
export const suggestMembers = (root: JsonSchema, segments: readonly string[]): readonly Suggestion[] => {
  const suggestions = new Map<string, Suggestion>()
  for (const node of schemasAt(root, segments)) {
    const required: readonly unknown[] = Array.isArray(node['required']) ? node['required'] : []
    for (const [name, member] of Object.entries(isNode(node['properties']) ? node['properties'] : {})) {
      const inner = spread(root, [member])
      suggestions.set(name, {
        text: name,
        detail: inner.map(typeOf).find((type) => type !== '') ?? '',
        description: inner.map(described).find((text) => text !== undefined),
        required: required.includes(name) || suggestions.get(name)?.required === true,
      })
    }
  }
  return [...suggestions.values()].toSorted((one, other) => Number(other.required) - Number(one.required))
}

/** Known valid values at this place, as JSON text. */
export const suggestValues = (root: JsonSchema, segments: readonly string[]): readonly Suggestion[] => {
  const suggestions = new Map<string, Suggestion>()
  const add = (value: unknown, detail: string, description: string | undefined) => {
    const text = JSON.stringify(value) as string | undefined
    if (text !== undefined && !suggestions.has(text)) suggestions.set(text, { text, detail, description })
  }
  for (const node of schemasAt(root, segments)) {
    const description = described(node)
    if ('const' in node) add(node['const'], '', description)
    for (const value of Array.isArray(node['enum']) ? node['enum'] : []) add(value, '', description)
    if ('default' in node) add(node['default'], 'default', description)
    for (const value of Array.isArray(node['examples']) ? node['examples'] : []) add(value, 'example', description)
    const types: readonly unknown[] = Array.isArray(node['type']) ? node['type'] : [node['type']]
    if (types.includes('boolean')) [true, false].forEach((value) => add(value, 'boolean', description))
    if (types.includes('null')) add(null, 'null', description)
    if (types.includes('object')) add({}, 'object', description)
    if (types.includes('array')) add([], 'array', description)
    if (types.includes('string')) add('', 'string', description)
  }
  return [...suggestions.values()]
}
