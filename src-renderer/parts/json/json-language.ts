// CodeMirror extensions of the JSON editor: completion from a schema, and fault marks.

import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  startCompletion,
} from '@codemirror/autocomplete'
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { ensureSyntaxTree, syntaxTree } from '@codemirror/language'
import { type Diagnostic, linter } from '@codemirror/lint'
import { type EditorState, type Extension, Facet } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import type { JsonSchema } from '#sdk/index.ts'
import { segmentsOf } from './json-pointer.ts'
import type { SchemaFault } from './schema-check.ts'
import { suggestMembers, suggestValues, type Suggestion } from './schema-at.ts'

type SyntaxNode = ReturnType<typeof syntaxTree>['topNode']

/** The faults of the text other than syntax errors. */
export const faultsFacet = Facet.define<readonly SchemaFault[], readonly SchemaFault[]>({
  combine: (values) => values.flat(),
})

export const jsonLanguage = (schema: JsonSchema | undefined): Extension => [
  json(),
  autocompletion({
    override: schema === undefined ? [] : [(context) => completeJson(schema, context)],
    icons: false,
  }),
]

/** A keystroke parses for some milliseconds, and only the beginning of a long text. The rest is parsed where it is needed. */
const PARSE_MS = 500
const parseJsonText = jsonParseLinter()

/** Marks syntax errors, and other faults at the places that their pointers name. */
export const jsonFaults: Extension = linter(
  (view) => (view.state.doc.length === 0 ? [] : [...parseJsonText(view), ...diagnosticsOf(view.state)]),
  {
    delay: 250,
    needsRefresh: ({ startState, state }) => startState.facet(faultsFacet) !== state.facet(faultsFacet),
  },
)

const treeOf = (state: EditorState): ReturnType<typeof syntaxTree> =>
  ensureSyntaxTree(state, state.doc.length, PARSE_MS) ?? syntaxTree(state)

const diagnosticsOf = (state: EditorState): readonly Diagnostic[] =>
  state.facet(faultsFacet).flatMap((fault) => {
    if (fault.message.startsWith('is not JSON')) return []
    const { node, rest } = nodeAt(state, segmentsOf(fault.path))
    if (node === undefined) return []
    const name = rest.length === 0 ? 'This' : JSON.stringify(rest.join('.'))
    // Marks only the first character of an object or array, which may be long.
    const isLong = node.name === 'Object' || node.name === 'Array'
    return [
      {
        from: node.from,
        to: isLong ? node.from + 1 : node.to,
        severity: 'error',
        message: `${name} ${fault.message}`,
      },
    ]
  })

/** The node at a path, or the nearest one around it and the rest of the path. */
const nodeAt = (
  state: EditorState,
  segments: readonly string[],
): { readonly node: SyntaxNode | undefined; readonly rest: readonly string[] } => {
  let node = treeOf(state).topNode.firstChild ?? undefined
  for (const [depth, segment] of segments.entries()) {
    const next = node === undefined ? undefined : childOf(state, node, segment)
    if (next === undefined) return { node, rest: segments.slice(depth) }
    node = next
  }
  return { node, rest: [] }
}

const childOf = (state: EditorState, node: SyntaxNode, segment: string): SyntaxNode | undefined => {
  if (node.name === 'Array') return valuesOf(node)[Number(segment)]
  if (node.name !== 'Object') return undefined
  const property = node.getChildren('Property').findLast((one) => nameOf(state, one) === segment)
  return property?.lastChild?.name === 'PropertyName' ? undefined : (property?.lastChild ?? undefined)
}

const VALUES = new Set(['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null'])

const valuesOf = (array: SyntaxNode): readonly SyntaxNode[] => {
  const found: SyntaxNode[] = []
  for (let child = array.firstChild; child !== null; child = child.nextSibling) {
    if (VALUES.has(child.name)) found.push(child)
  }
  return found
}

const nameOf = (state: EditorState, property: SyntaxNode): string | undefined => {
  const name = property.getChild('PropertyName')
  if (name === null) return undefined
  try {
    return JSON.parse(state.sliceDoc(name.from, name.to)) as string
  } catch {
    return undefined
  }
}

/** The path of a node, or of the array item at a position. */
const pathOf = (state: EditorState, from: SyntaxNode, position: number): readonly string[] => {
  const path: string[] = []
  const indexIn = (array: SyntaxNode) => String(valuesOf(array).filter((value) => value.to < position).length)
  if (from.name === 'Array') path.unshift(indexIn(from))
  for (let node: SyntaxNode | null = from; node !== null; node = node.parent) {
    if (node.name === 'Property') path.unshift(nameOf(state, node) ?? '')
    else if (node.parent?.name === 'Array') path.unshift(indexIn(node.parent))
  }
  return path
}

export const completeJson = (schema: JsonSchema, context: CompletionContext): CompletionResult | null => {
  const { state, pos, explicit } = context
  const around = treeOf(state).resolveInner(pos, -1)
  if (around.name === 'PropertyName') return completeMember(schema, state, around, around.from, pos, around.to - pos)
  if (around.name === 'String' || around.name === 'Number') {
    const isClosed = around.name === 'String' && pos === around.to && pos - around.from > 1
    return isClosed ? null : completeValue(schema, state, around, around.from, pos, around.to - pos)
  }
  const word = context.matchBefore(/[\w"]*/)
  const from = word?.from ?? pos
  if (!explicit && from === pos && !/[:[{,]\s*$/.test(state.sliceDoc(Math.max(0, pos - 50), pos))) return null
  const before = /(\S)\s*$/.exec(state.sliceDoc(Math.max(0, from - 200), from))?.[1]
  const container = containerAround(around)
  if (before === ':' || before === '[' || (before === ',' && container?.name === 'Array') || before === undefined) {
    return completeValue(schema, state, around, from, pos)
  }
  if (before === '{' || before === ',') return completeMember(schema, state, container ?? around, from, pos)
  return null
}

const containerAround = (from: SyntaxNode): SyntaxNode | undefined => {
  let node: SyntaxNode | null = from
  while (node !== null && node.name !== 'Object' && node.name !== 'Array') node = node.parent
  return node ?? undefined
}

const completeMember = (
  schema: JsonSchema,
  state: EditorState,
  at: SyntaxNode,
  from: number,
  to: number,
  /** What belongs to the same word behind the cursor. */
  rest = 0,
): CompletionResult | null => {
  const object = containerAround(at)
  if (object === undefined || object.name !== 'Object') return null
  const present = new Set(
    object
      .getChildren('Property')
      .filter((property) => property.from !== from)
      .map((property) => nameOf(state, property)),
  )
  const followed = /^"?\s*:/.test(state.sliceDoc(to + rest, to + rest + 50))
  const options = suggestMembers(schema, pathOf(state, object, object.from))
    .filter(({ text }) => !present.has(text))
    .map((suggestion, index) => memberOption(suggestion, followed, index, rest))
  return { from, to, options, filter: true, validFor: /^"?\w*"?$/ }
}

const memberOption = (
  { text, detail, description, required }: Suggestion,
  followed: boolean,
  index: number,
  rest: number,
): Completion => ({
  label: JSON.stringify(text),
  detail: required === true ? `${detail}, required` : detail,
  ...(description !== undefined && { info: description }),
  boost: -index,
  apply: (view, _completion, from, to) => {
    const insert = JSON.stringify(text) + (followed ? '' : ': ')
    replace(view, from, closingQuote(view, to + rest), insert)
    if (!followed) startCompletion(view)
  },
})

const completeValue = (
  schema: JsonSchema,
  state: EditorState,
  at: SyntaxNode,
  from: number,
  to: number,
  /** What belongs to the same word behind the cursor. */
  rest = 0,
): CompletionResult | null => {
  const options = suggestValues(schema, pathOf(state, at, from)).map(({ text, detail, description }, index) => ({
    label: text,
    detail,
    ...(description !== undefined && { info: description }),
    boost: -index,
    apply: (view: EditorView, _completion: Completion, start: number, end: number) => {
      const inside = text === '""' || text === '{}' || text === '[]' ? 1 : 0
      replace(view, start, text.startsWith('"') ? closingQuote(view, end + rest) : end + rest, text, inside)
    },
  }))
  return options.length === 0 ? null : { from, to, options, filter: true, validFor: /^"?[\w.-]*"?$/ }
}

/** Typing the closing quote replaces the one that was inserted automatically. */
const closingQuote = (view: EditorView, to: number): number =>
  view.state.sliceDoc(to, to + 1) === '"' && view.state.sliceDoc(to - 1, to) !== ':' ? to + 1 : to

const replace = (view: EditorView, from: number, to: number, insert: string, back = 0): void => {
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + insert.length - back },
    userEvent: 'input.complete',
  })
}
