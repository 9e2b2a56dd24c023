import { expect, it, vi } from 'vitest'
import { createManualClock } from '../shared/manual-clock.test-support.ts'
import { createAloneGate } from './alone-gate.ts'

const rig = (mostTogether?: (begunBefore: number) => number) => {
  const clock = createManualClock(0)
  const gate = createAloneGate(clock, mostTogether)
  const running: string[] = []
  const ends = new Map<string, () => void>()
  const aborts = new Map<string, () => void>()
  const run = (name: string, isAlone = false): Promise<void> => {
    const controller = new AbortController()
    aborts.set(name, () => controller.abort())
    return gate.run(isAlone, controller.signal, () => {
      if (controller.signal.aborted) return Promise.resolve()
      running.push(name)
      return new Promise((resolve) =>
        ends.set(name, () => {
          running.splice(running.indexOf(name), 1)
          resolve()
        }),
      )
    })
  }
  return { clock, running, run, end: (name: string) => ends.get(name)!(), abort: (name: string) => aborts.get(name)!() }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

it('lets others wait until those that run have ended and all attempts to run alone have run, one by one', async () => {
  const { running, run, end } = rig()
  void run('a')
  void run('alone', true)
  void run('other alone', true)
  void run('b')
  void run('c')
  await settle()
  expect(running).toEqual(['a'])
  end('a')
  await vi.waitFor(() => expect(running).toEqual(['alone']))
  end('alone')
  await vi.waitFor(() => expect(running).toEqual(['other alone']))
  end('other alone')
  await vi.waitFor(() => expect(running).toEqual(['b', 'c']))
})

it('delays others for a second, then lets them begin for one', async () => {
  const { clock, running, run, end } = rig()
  void run('long')
  void run('alone', true)
  void run('a')
  clock.advance(999)
  await settle()
  expect(running).toEqual(['long'])
  clock.advance(1)
  await vi.waitFor(() => expect(running).toEqual(['long', 'a']))
  clock.advance(999)
  void run('b')
  expect(running).toEqual(['long', 'a', 'b'])
  clock.advance(1)
  void run('c')
  for (const name of ['long', 'a', 'b']) end(name)
  await vi.waitFor(() => expect(running).toEqual(['alone']))
  clock.advance(1_000)
  await vi.waitFor(() => expect(running).toEqual(['alone', 'c']))
})

it('lets an attempt that has waited for ten seconds run beside those that have not ended', async () => {
  const { clock, running, run } = rig()
  const expectRunning = (...names: readonly string[]) => vi.waitFor(() => expect(running).toEqual(names))
  void run('endless')
  void run('first', true)
  void run('second', true)
  clock.advance(9_999)
  await settle()
  expect(running).toEqual(['endless'])
  clock.advance(1)
  await expectRunning('endless', 'first')
  clock.advance(1_999)
  await settle()
  expect(running).toEqual(['endless', 'first'])
  clock.advance(1)
  await expectRunning('endless', 'first', 'second')
})

it('lets more begin together once many have begun, so that 600 have begun after about a minute', async () => {
  const { clock, running, run } = rig((begun) => Math.floor(begun / 4))
  for (let n = 0; n < 600; n++) void run(`alone ${n}`, true)
  const counts: number[] = []
  while (running.length < 600) {
    clock.advance(1_000)
    await settle()
    counts.push(running.length)
  }
  expect(counts.slice(0, 28)).toEqual([
    1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 10, 10, 12, 12, 15,
  ])
  expect(counts.length).toBeLessThan(70)
})

it('does not wait for the pause to end while nobody runs', async () => {
  const { running, run, end } = rig()
  void run('alone', true)
  await vi.waitFor(() => expect(running).toEqual(['alone']))
  end('alone')
  await settle()
  void run('other alone', true)
  await vi.waitFor(() => expect(running).toEqual(['other alone']))
})

it('lets attempts that are aborted end at once, whoever else waits', async () => {
  const { running, run, end, abort } = rig()
  void run('a')
  const aborted = [run('alone', true), run('b')]
  void run('other alone', true)
  void run('c')
  for (const name of ['alone', 'b']) abort(name)
  await Promise.all(aborted)
  expect(running).toEqual(['a'])
  end('a')
  await vi.waitFor(() => expect(running).toEqual(['other alone']))
  end('other alone')
  await vi.waitFor(() => expect(running).toEqual(['c']))
})

it('lets others begin once nobody waits to run alone any more', async () => {
  const { running, run, abort } = rig()
  void run('a')
  const alone = run('alone', true)
  void run('b')
  abort('alone')
  await alone
  await vi.waitFor(() => expect(running).toEqual(['a', 'b']))
})

it('continues if the attempt that runs alone throws', async () => {
  const { running, run } = rig()
  const gate = createAloneGate(createManualClock(0))
  const { signal } = new AbortController()
  await expect(gate.run(true, signal, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await gate.run(false, signal, () => Promise.resolve())
  await gate.run(true, signal, () => Promise.resolve())
  void run('a')
  expect(running).toEqual(['a'])
})
