// The text of a JSON editor. The form and the checks are derived from the text. Pure.

import type { JsonSchema } from '#sdk/index.ts'
import { parseExactJson } from '../../exact-json.ts'
import { pointerOf } from './json-pointer.ts'
import { createSchemaCheck, type SchemaCheck, type SchemaFault } from './schema-check.ts'
import { typeWords } from './type-words.ts'

export type Draft =
  /** No value, which is not the same as null. */
  | { readonly kind: 'empty' }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'broken'; readonly message: string }

export const readDraft = (text: string): Draft => {
  if (text.trim() === '') return { kind: 'empty' }
  try {
    return { kind: 'value', value: parseExactJson(text) }
  } catch (error) {
    return { kind: 'broken', message: error instanceof Error ? error.message : String(error) }
  }
}

/** undefined where there is none. */
export const valueOfDraft = (draft: Draft): unknown => (draft.kind === 'value' ? draft.value : undefined)

/** The service's limit: 1 MiB for a whole request. */
const LARGEST_BYTES = 1024 * 1024
/** The most bytes that one UTF-16 unit takes in UTF-8. */
const BYTES_PER_UNIT = 3
const isTooLarge = (text: string): boolean =>
  text.length * BYTES_PER_UNIT > LARGEST_BYTES && new Blob([text]).size > LARGEST_BYTES
export const TOO_LARGE = 'is too large: the service takes 1 MiB'

/** Checking more would freeze the page; the service checks it. */
const LARGEST_CHECKED = 256 * 1024

/** The faults of a draft. A fault without a path is about the whole value. */
export const faultsOfDraft = (text: string, draft: Draft, check: SchemaCheck | undefined): readonly SchemaFault[] => {
  if (isTooLarge(text)) return [{ path: '', message: TOO_LARGE }]
  if (draft.kind === 'broken') return [{ path: '', message: `is not JSON: ${draft.message}` }]
  if (check === undefined || text.length > LARGEST_CHECKED) return []
  return check(valueOfDraft(draft))
}

/** Whether a text may be sent. `anyway`: also one that does not match the schema, as this page reads it. */
export const maySend = (text: string, schema: JsonSchema | undefined, anyway: boolean): boolean => {
  const draft = readDraft(text)
  if (draft.kind === 'broken' || anyway) return draft.kind !== 'broken'
  return faultsOfDraft(text, draft, schema === undefined ? undefined : createSchemaCheck(schema)).length === 0
}

/** Why nothing can be done with a text that does not parse. */
export const BROKEN = 'Fix the JSON first: it does not parse'

/** The text with one member or item per line, indented by two. Only white space changes. */
export const reindent = (text: string): string => {
  let depth = 0
  let out = ''
  const newLine = () => `\n${'  '.repeat(depth)}`
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? []
  for (const [index, token] of tokens.entries()) {
    const next = tokens[index + 1]
    if (token === '{' || token === '[') {
      const empty = next === '}' || next === ']'
      if (!empty) depth += 1
      out += empty ? token : token + newLine()
    } else if (token === '}' || token === ']') {
      const empty = tokens[index - 1] === '{' || tokens[index - 1] === '['
      if (!empty) depth -= 1
      out += empty ? token : newLine() + token
    } else if (token === ',') out += token + newLine()
    else out += token === ':' ? ': ' : token
  }
  return out
}

/** Parses the service's faults: `input/orderId must be string; input must have "cents"`. */
export const faultsOfRefusal = (part: 'input' | 'payload', message: string): readonly SchemaFault[] =>
  message.split(`; ${part}`).flatMap((told, index) => {
    const text = index === 0 ? told : part + told
    const found = new RegExp(`^${part}((?:/.*?)?) (must |has |matches |is |does |cannot )(.*)$`, 's').exec(text)
    if (found === null) return [{ path: '', message: text }]
    const [, path = '', verb = '', rest = ''] = found
    const missing = /^have ("(?:[^"\\]|\\.)*"(?:, "(?:[^"\\]|\\.)*")*)$/.exec(rest)
    if (verb !== 'must ' || missing === null) return [{ path, message: verb + withArticles(rest) }]
    return (JSON.parse(`[${missing[1]}]`) as readonly string[]).map((name) => ({
      path: path + pointerOf([name]),
      message: 'is missing',
    }))
  })

/** `be string or null` → `be a string or null`, as the page's own check says it. */
const withArticles = (text: string): string =>
  text.replace(/^be ([a-z]+(?: or [a-z]+)*)$/, (_, types: string) => `be ${typeWords(types.split(' or '))}`)
