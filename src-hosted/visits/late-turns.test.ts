import { expect, it, onTestFinished, vi } from 'vitest'
import type { Activation, ActivationResult } from '../../src-runtime/sandbox/program-hosts.ts'
import { createLateTurns } from './late-turns.ts'

const RAN: ActivationResult = { kind: 'ran', turns: [], computeMs: 0 }

const startOf = (executionId: string, more: Partial<Activation> = {}): Activation => ({
  ...{ executionId, programId: 'order', versionNumber: 1, versionId: 'ver_1', turnsDone: 0 },
  turns: [{ delivery: { kind: 'start', at: 1, data: '{}' } }],
  ...more,
})

/** Hosts whose activations end, and get hosts of their own, when the test says so. `calls`: what they were told. */
const rigged = () => {
  const calls: string[] = []
  const told: { readonly end: (result: ActivationResult) => void; readonly goAlone: () => void }[] = []
  const late = createLateTurns({
    activate: ({ executionId }, onAlone = () => {}) => {
      calls.push(`activate ${executionId}`)
      return new Promise((end) => told.push({ end, goAlone: onAlone }))
    },
    forget: (executionId) => void calls.push(`forget ${executionId}`),
  })
  return { late, calls, told }
}

it('gives a first turn that is kept to the visit that asks for it, once', async () => {
  const { late, calls, told } = rigged()
  late.keep(late.runAhead(startOf('a')))
  expect([late.isKept('a'), late.isKept('b')]).toEqual([true, false])
  const aloneFor: string[] = []
  const running = late.activate(startOf('a'), () => aloneFor.push('visit'))
  told[0]!.goAlone()
  told[0]!.end(RAN)
  expect(await running).toBe(RAN)
  expect(aloneFor).toEqual(['visit'])
  void late.activate(startOf('a'))
  expect(calls).toEqual(['activate a', 'activate a'])
})

it('runs nothing of an Execution before its first turn has ended', async () => {
  const { late, calls, told } = rigged()
  const other = startOf('a', { turnsDone: 1 })
  const replay = startOf('b', { turns: [{ delivery: { kind: 'start', at: 1, data: '{}' }, expected: [] }] })
  const atAnotherTime = startOf('c', { turns: [{ delivery: { kind: 'start', at: 2, data: '{}' } }] })
  for (const [index, activation] of [other, replay, atAnotherTime].entries()) {
    const { executionId } = activation
    calls.length = 0
    late.keep(late.runAhead(startOf(executionId)))
    const running = late.activate(activation)
    expect(calls).toEqual([`activate ${executionId}`])
    told[2 * index]!.end(RAN)
    await expect
      .poll(() => calls)
      .toEqual([`activate ${executionId}`, `forget ${executionId}`, `activate ${executionId}`])
    told[2 * index + 1]!.end(RAN)
    expect(await running).toBe(RAN)
  }
})

it('forgets a first turn whose start was not stored, once it has ended', async () => {
  const { late, calls, told } = rigged()
  late.keep(late.runAhead(startOf('a')))
  late.drop('a')
  expect(calls).toEqual(['activate a'])
  told[0]!.end(RAN)
  await expect.poll(() => calls).toEqual(['activate a', 'forget a'])
  late.drop('b')
  expect(calls.at(-1)).toBe('forget b')
})

it('holds a first turn for ten seconds after its end, unless a visit has asked for it', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { late, calls, told } = rigged()
  for (const id of ['a', 'b']) late.keep(late.runAhead(startOf(id)))
  const running = late.activate(startOf('a'))
  for (const { end } of told) end(RAN)
  expect(await running).toBe(RAN)
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(9_999)
  expect(late.isKept('b')).toBe(true)
  vi.advanceTimersByTime(1)
  expect(late.isKept('b')).toBe(false)
  expect(calls).toEqual(['activate a', 'activate b', 'forget b'])
})
