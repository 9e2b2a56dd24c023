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

it('delays others for at most ten seconds', async () => {
  const { clock, running, run } = rig()
  void run('endless')
  void run('alone', true)
  clock.advance(9_999)
  expect(running).toEqual(['endless'])
  clock.advance(1)
  await vi.waitFor(() => expect(running).toEqual(['endless', 'alone']))
  void run('b')
  expect(running).not.toContain('b')
  clock.advance(10_000)
  await vi.waitFor(() => expect(running).toContain('b'))
})

it('begins attempts that must run alone in the order in which they came, also if they are due while another one runs', async () => {
  const { clock, running, run } = rig()
  const expectRunning = (...names: readonly string[]) => vi.waitFor(() => expect(running).toEqual(names))
  void run('endless')
  void run('first', true)
  clock.advance(5_000)
  void run('second', true)
  clock.advance(5_000)
  await expectRunning('endless', 'first')
  clock.advance(1_000)
  void run('third', true)
  clock.advance(4_000)
  void run('b')
  // The second one has been due for five seconds when the first one must let others run.
  clock.advance(5_000)
  await expectRunning('endless', 'first', 'b', 'second')
  clock.advance(1_000)
  void run('c')
  clock.advance(9_000)
  await expectRunning('endless', 'first', 'b', 'second', 'c', 'third')
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
