import { CompletionContext } from '@codemirror/autocomplete'
import { json } from '@codemirror/lang-json'
import { EditorState } from '@codemirror/state'
import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '#sdk/index.ts'
import { completeJson } from './json-language.ts'

const schema: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    size: { enum: ['S', 'M'] },
    gift: { type: 'boolean' },
    lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' }, kind: { const: 'k' } } } },
    pair: { type: 'array', prefixItems: [{ const: 1 }, { const: 2 }] },
  },
  required: ['size'],
}

/** The suggestions at `|`. */
const suggested = (marked: string, explicit = true) => {
  const position = marked.indexOf('|')
  const state = EditorState.create({ doc: marked.replace('|', ''), extensions: [json()] })
  const result = completeJson(schema, new CompletionContext(state, position, explicit))
  return result?.options.map(({ label }) => label)
}

const all = ['"size"', '"name"', '"gift"', '"lines"', '"pair"']

describe('completion in a JSON editor', () => {
  it.each<[string, readonly string[] | undefined]>([
    ['{|}', all],
    ['{ "|" }', all],
    ['{ "na|" }', all],
    ['{ "na|me": 1 }', all],
    ['{ "name": "a", | }', all.filter((name) => name !== '"name"')],
    ['{ "name": "a",\n  "|"\n}', all.filter((name) => name !== '"name"')],
    ['{ "size": | }', ['"S"', '"M"']],
    ['{ "size": "|" }', ['"S"', '"M"']],
    ['{ "size": |', ['"S"', '"M"']],
    ['{ "gift": t| }', ['true', 'false']],
    ['{ "lines": [|] }', ['{}']],
    ['{ "lines": [{|}] }', ['"sku"', '"kind"']],
    ['{ "lines": [{ "sku": "a" }, { "kind": | }] }', ['"k"']],
    ['{ "pair": [|] }', ['1']],
    ['{ "pair": [1, |] }', ['2']],
    ['{ "name": "a" | }', undefined],
    ['|', ['{}']],
  ])('%s', (marked, options) => expect(suggested(marked)).toEqual(options))

  it('suggests also behind what a keystroke has parsed', () => {
    const name = 'a'.repeat(10_000)
    expect(suggested(`{ "name": "${name}", "|" }`)).toEqual(all.filter((one) => one !== '"name"'))
  })

  it('does not open without a request or typed text', () => {
    expect(suggested('{ "name": "a"|}', false)).toBeUndefined()
    expect(suggested('{ "lines": [{ "sku": "a" }|] }', false)).toBeUndefined()
  })
})
