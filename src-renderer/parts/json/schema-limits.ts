// Limits what a JSON Schema may cost the page. Anyone may have written a Program's schema, and the page checks it on
// its own thread.

import type { Schema } from '@cfworker/json-schema'
import { segmentsOf } from './json-pointer.ts'

const MOST_VISITS = 20_000

/** Whether references expand a schema so much that checking even a small value takes long. */
export const isTooCostly = (schema: Schema | boolean): boolean => {
  const costs = new Map<unknown, number>()
  const costOf = (node: unknown): number => {
    if (typeof node !== 'object' || node === null) return 0
    const known = costs.get(node)
    if (known !== undefined) return known
    costs.set(node, 1) // a circular reference ends where the value ends
    let cost = 1
    for (const inner of Object.values(node)) cost += costOf(inner)
    const { $ref } = node as Schema
    if (typeof $ref === 'string') cost += costOf(localTarget(schema, $ref))
    costs.set(node, Math.min(cost, Number.MAX_SAFE_INTEGER))
    return cost
  }
  try {
    return costOf(schema) > MOST_VISITS
  } catch {
    return true // nested too deeply for the stack
  }
}

/** The target of a reference within the schema; undefined when there is none. */
export const localTarget = (root: unknown, reference: string): unknown => {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return undefined
  let node: unknown = root
  try {
    for (const name of segmentsOf(decodeURIComponent(reference.slice(1)))) {
      if (typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) return undefined
      node = (node as Readonly<Record<string, unknown>>)[name]
    }
  } catch {
    return undefined
  }
  return node
}

const LONGEST_PATTERN = 300

/** Whether a repeated group contains a repetition or an alternative: matching could then take exponential time. */
const isSlow = (pattern: string): boolean => {
  if (pattern.length > LONGEST_PATTERN) return true
  const groups = [false]
  for (const [token] of pattern.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|\)[*+{]?|[(*+{|]/gsu)) {
    if (/^\\[1-9k]/.test(token)) return true // a backward reference
    if (token === '(') groups.push(false)
    else if (token.startsWith(')')) {
      const varies = groups.pop() ?? false
      if (varies && token.length > 1) return true
      groups[groups.length - 1] ||= varies || token.length > 1
    } else if ('*+{|'.includes(token)) groups[groups.length - 1] = true
  }
  return false
}

/** Removes costly patterns from the schema, in place. The service still checks them. */
export const withoutSlowPatterns = <Root extends Schema | boolean>(root: Root): Root => {
  const waiting: unknown[] = [root]
  while (waiting.length > 0) {
    const node = waiting.pop()
    if (typeof node !== 'object' || node === null) continue
    const schema = node as Record<string, unknown>
    if (typeof schema['pattern'] === 'string' && isSlow(schema['pattern'])) delete schema['pattern']
    const patterns = schema['patternProperties']
    if (typeof patterns === 'object' && patterns !== null && Object.keys(patterns).some(isSlow)) {
      delete schema['patternProperties']
      delete schema['additionalProperties']
    }
    waiting.push(...Object.values(schema))
  }
  return root
}
