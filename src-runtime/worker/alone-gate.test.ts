import { expect, it, vi } from 'vitest'
import { createManualClock } from '../shared/manual-clock.test-support.ts'
import { createAloneGate } from './alone-gate.ts'

const rig = () => {
  const clock = createManualClock(0)
  const gate = createAloneGate(clock)
  const running: string[] = []
  const ends = new Map<string, () => void>()
  const run = (name: string, isAlone = false): Promise<void> =>
    gate.run(isAlone, () => {
      running.push(name)
      return new Promise((resolve) =>
        ends.set(name, () => {
          running.splice(running.indexOf(name), 1)
          resolve()
        }),
      )
    })
  return { clock, running, run, end: (name: string) => ends.get(name)!() }
}

it('runs an attempt alone once the others have ended, and the others after it', async () => {
  const { running, run, end } = rig()
  void run('a')
  void run('alone', true)
  void run('other alone', true)
  expect(running).toEqual(['a'])
  end('a')
  await vi.waitFor(() => expect(running).toEqual(['alone']))
  void run('b')
  void run('c')
  expect(running).toEqual(['alone'])
  end('alone')
  await vi.waitFor(() => expect(running).toEqual(['b', 'c']))
  end('b')
  end('c')
  await vi.waitFor(() => expect(running).toEqual(['other alone']))
})

it('waits for others for ten seconds, and delays them for one', async () => {
  const { clock, running, run } = rig()
  void run('endless')
  void run('alone', true)
  clock.advance(9_999)
  expect(running).toEqual(['endless'])
  clock.advance(1)
  await vi.waitFor(() => expect(running).toEqual(['endless', 'alone']))
  void run('b')
  clock.advance(999)
  expect(running).not.toContain('b')
  clock.advance(1)
  await vi.waitFor(() => expect(running).toContain('b'))
})

it('lets others begin for a while before the next one, in the order in which they came', async () => {
  const { clock, running, run } = rig()
  const expectRunning = (...names: readonly string[]) => vi.waitFor(() => expect(running).toEqual(names))
  void run('endless')
  for (const name of ['first', 'second', 'third']) void run(name, true)
  clock.advance(10_000)
  await expectRunning('endless', 'first')
  void run('b')
  clock.advance(1_000)
  await expectRunning('endless', 'first', 'b')
  clock.advance(1_999)
  void run('c')
  await expectRunning('endless', 'first', 'b', 'c')
  clock.advance(1)
  await expectRunning('endless', 'first', 'b', 'c', 'second')
  void run('d')
  clock.advance(1_000)
  await expectRunning('endless', 'first', 'b', 'c', 'second', 'd')
  clock.advance(2_000)
  await expectRunning('endless', 'first', 'b', 'c', 'second', 'd', 'third')
})

it('begins the pause anew when another one has run alone meanwhile', async () => {
  const { clock, running, run, end } = rig()
  const expectRunning = (...names: readonly string[]) => vi.waitFor(() => expect(running).toEqual(names))
  void run('endless')
  for (const name of ['first', 'second', 'third']) void run(name, true)
  clock.advance(10_000)
  await expectRunning('endless', 'first')
  clock.advance(1_500)
  end('endless')
  end('first')
  // Nobody runs, so it delays nobody and begins within the pause.
  await expectRunning('second')
  void run('other')
  clock.advance(1_000)
  await expectRunning('second', 'other')
  clock.advance(1_999)
  await new Promise((resolve) => setImmediate(resolve))
  expect(running).toEqual(['second', 'other'])
  clock.advance(1)
  await expectRunning('second', 'other', 'third')
})

it('continues if the attempt that runs alone throws', async () => {
  const { running, run } = rig()
  const gate = createAloneGate(createManualClock(0))
  await expect(gate.run(true, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await gate.run(false, () => Promise.resolve())
  await gate.run(true, () => Promise.resolve())
  void run('a')
  expect(running).toEqual(['a'])
})
