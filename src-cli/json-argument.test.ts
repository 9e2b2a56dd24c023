import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { sourcesOn } from './json-argument.ts'

test.each([true, undefined])('a command that reads from a terminal says so (%s)', async (isTTY) => {
  const said: string[] = []
  const stdin = Object.assign(new PassThrough(), { isTTY })
  stdin.end('value\n')
  expect(await sourcesOn({ err: (text) => void said.push(text) }, stdin).readStdin()).toBe('value\n')
  expect(said.join('')).toEqual(isTTY ? expect.stringContaining('reading standard input') : '')
})
