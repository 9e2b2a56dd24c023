// The size of the first screen.

import { expect, test } from '@playwright/test'
import { join } from 'node:path'
import { readScripts, totalOf } from '../../bench/ui/scripts.ts'

const MOST_KB = 250

test('the first screen needs less than 250 kB of JavaScript, without the editor, the charts and the sign-in', () => {
  const { first, later } = readScripts(join(import.meta.dirname, '../../out/renderer'))
  expect(first.map(({ name }) => name)).toContainEqual(expect.stringMatching(/^first-screen-/))
  expect(totalOf(first) / 1_000, first.map(({ name }) => name).join(', ')).toBeLessThan(MOST_KB)
  const names = later.map(({ name }) => name)
  for (const chunk of [/^code-surface-/, /^chart-/, /^schema-form-/, /^start-dialog-/, /^palette-/, /^sign-in-/]) {
    expect(names).toContainEqual(expect.stringMatching(chunk))
  }
})
