import { PassThrough } from 'node:stream'
import { expect, it, onTestFinished, vi } from 'vitest'
import { readLines, throttle } from './read-lines.ts'

it('makes a stream of short lines wait for what reading them takes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const stream = new PassThrough()
  const lines = vi.fn()
  readLines(stream, lines, () => {})
  throttle(stream, 1_000, 10)
  stream.write('{}\n'.repeat(500))
  await new Promise((resolve) => setImmediate(resolve))
  expect(lines).toHaveBeenCalledTimes(500)
  // 500 lines count 13 bytes each: six windows.
  stream.write('{}\n')
  await vi.advanceTimersByTimeAsync(599)
  expect(lines).toHaveBeenCalledTimes(500)
  await vi.advanceTimersByTimeAsync(2)
  await new Promise((resolve) => setImmediate(resolve))
  expect(lines).toHaveBeenCalledTimes(501)
})

it.each(['1', 'null', '"text"', 'no JSON'])('is broken by a line that is no object: %s', async (line) => {
  const stream = new PassThrough()
  const [lines, broken] = [vi.fn(), vi.fn()]
  readLines(stream, lines, broken)
  stream.write(`{"kind":"one"}\n${line}\n{"kind":"two"}\n`)
  await new Promise((resolve) => setImmediate(resolve))
  expect(lines.mock.calls).toEqual([[{ kind: 'one' }]])
  expect(broken).toHaveBeenCalledOnce()
})
