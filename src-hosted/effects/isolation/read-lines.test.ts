import { PassThrough } from 'node:stream'
import { expect, it, onTestFinished, vi } from 'vitest'
import { RESULT_LIMIT_BYTES } from '../../../src-runtime/effects/effect-host-limits.ts'
import { createBudget, readLines, throttle } from './read-lines.ts'

it('makes a stream of short lines wait for what reading them takes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
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

it('makes all streams that share a budget wait for the processor time that lines of one take', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const cpuMs = createBudget(10)
  const lines = vi.fn((value: object) => {
    const begun = process.threadCpuUsage()
    // Both, because the system may count this loop as either.
    for (let us = 0; 'costly' in value && us < 60_000;) {
      const { user, system } = process.threadCpuUsage(begun)
      us = user + system
    }
  })
  const [costly, cheap] = [new PassThrough(), new PassThrough()]
  for (const stream of [costly, cheap]) {
    readLines(stream, lines, () => {})
    throttle(stream, 1_000_000, 0, cpuMs)
  }
  const write = async (stream: PassThrough, line: string) => {
    stream.write(`${line}\n`)
    await new Promise((resolve) => setImmediate(resolve))
    return lines.mock.calls.length
  }
  expect(await write(costly, '{"costly":1}')).toBe(1)
  // It is read, and then waits as well.
  expect(await write(cheap, '{}')).toBe(2)
  expect(await write(costly, '{}')).toBe(2)
  expect(await write(cheap, '{}')).toBe(2)
  await vi.advanceTimersByTimeAsync(399)
  expect(lines).toHaveBeenCalledTimes(2)
  await vi.advanceTimersByTimeAsync(2_000)
  await new Promise((resolve) => setImmediate(resolve))
  expect(lines).toHaveBeenCalledTimes(4)
})

it('makes a stream wait no longer when its process has ended', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const stream = new PassThrough()
  const lines = vi.fn()
  readLines(stream, lines, () => {})
  const endThrottle = throttle(stream, 1)
  for (let n = 1; n <= 3; n += 1) stream.write('{}\n')
  await new Promise((resolve) => setImmediate(resolve))
  expect(lines).toHaveBeenCalledOnce()
  endThrottle()
  await new Promise((resolve) => setImmediate(resolve))
  expect(lines).toHaveBeenCalledTimes(3)
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

it('takes the longest result, and is broken by a line that is longer than any', async () => {
  const stream = new PassThrough()
  const [lines, broken] = [vi.fn(), vi.fn()]
  readLines(stream, lines, broken)
  const result = { kind: 'completed', id: 1, data: JSON.stringify({ result: '"'.repeat(RESULT_LIMIT_BYTES / 2 - 8) }) }
  stream.write(`${JSON.stringify(result)}\n`)
  await new Promise((resolve) => setImmediate(resolve))
  expect(lines.mock.calls).toEqual([[result]])
  stream.write(`{"kind":"${'x'.repeat(3 * RESULT_LIMIT_BYTES)}`)
  await new Promise((resolve) => setImmediate(resolve))
  expect(broken).toHaveBeenCalledOnce()
})
