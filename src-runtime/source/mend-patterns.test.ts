import { expect, it } from 'vitest'
import { createRig, resultOf } from '../sandbox/runner-rig.test-support.ts'
import { mendPatterns } from './mend-patterns.ts'
import { createMended } from './mend-rig.test-support.ts'

const mended = createMended(mendPatterns)
const rig = createRig()

it.each([
  [String.raw`/^\d{4}-\d{2}$/v`, '2026-03', '2026-0'],
  [String.raw`/^[a\-z[[0-9]--[5]]]-[\]\-]$/v`, '4--', '5--'],
  [String.raw`/^a\/b\\-\[--\]$/v`, 'a/b\\-[--]', 'a/b-'],
  ['/^a::b;;;==&&!!,,$/gv', 'a::b;;;==&&!!,,', 'a:b;;==&&!!,,'],
  ['/^[^a]--"``\'$/iv', 'b--"``\'', 'a--"``\''],
  ['/^(?i-s:A-)(?<a>>)(?::)$/v', 'a->:', 'a-:>'],
  ['new RegExp("^a/b$", "v")', 'a/b', 'a'],
  ['RegExp("^a-b$", "gv")', 'a-b', 'a'],
  ['new RegExp(`^a-b$`, "v")', 'a-b', 'a'],
  ['new RegExp(String.raw`^\\d-\\d$`, "v")', '1-2', '1'],
])('the pattern of %s is the same for the engine', (literal, matching, other) => {
  const { before, after } = mended(`globalThis.pattern = ${literal}`)
  expect(after).not.toBe(before)
  const execution = rig.artifact(`${after}; ({ run: async (ctx, texts) => texts.map((text) => text.search(pattern)) })`)
  expect(resultOf(execution.start([matching, other]))).toEqual([0, -1])
})

it.each([
  '/a-b/u',
  '/[a-c]:b/v',
  String.raw`/\p{L}+[[a-z]--b]\x2d/v`,
  'keep("a-b", "v")',
  'new RegExp(`${text}-`, "v")',
])('%s stays as it is', (source) => {
  const { before, after } = mended(source)
  expect(after).toBe(before)
})
