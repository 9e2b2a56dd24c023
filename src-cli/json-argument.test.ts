import { PassThrough, Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { UsageError } from './failures.ts'
import { sourcesOn } from './json-argument.ts'

test.each([true, undefined])('a command that reads from a terminal says so (%s)', async (isTTY) => {
  const said: string[] = []
  const stdin = Object.assign(new PassThrough(), { isTTY })
  stdin.end('value\n')
  expect(await sourcesOn({ err: (text) => void said.push(text) }, stdin).readStdin()).toBe('value\n')
  expect(said.join('')).toEqual(isTTY ? expect.stringContaining('reading standard input') : '')
})

test('standard input that never ends is refused before it fills the memory', async () => {
  let parts = 0
  const endless = Readable.from(
    (function* () {
      for (;;) {
        parts += 1
        yield Buffer.alloc(1024 ** 2, 'y\n')
      }
    })(),
  )
  const reading = sourcesOn({ err: () => {} }, endless).readStdin()
  await expect(reading).rejects.toThrow(new UsageError('standard input is larger than 64 MiB'))
  expect(parts).toBeLessThan(100)
})
