import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createFire } from './start-worker.ts'

const busyOnes = (count: number) => Array.from({ length: count }, (_, index) => `trg_busy${index}`)

const firing = () => {
  const looked: string[] = []
  const atOnce = { now: 0, most: 0 }
  let isFree = Promise.resolve()
  const schedules = {
    workspaceOf: async (id: string) => (id.startsWith('trg_busy') ? 1 : 2),
    findSchedule: async (id: string) => {
      looked.push(id)
      atOnce.now += 1
      atOnce.most = Math.max(atOnce.most, atOnce.now)
      await setImmediate()
      await isFree
      atOnce.now -= 1
      return undefined
    },
    advance: async () => {},
  }
  const portsOf = (): never => {
    throw new Error('nothing is due')
  }
  const fire = createFire(schedules, portsOf, () => 0)
  const holdUp = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    isFree = promise
    return resolve
  }
  return {
    looked,
    atOnce,
    holdUp,
    fire,
    fireAll: (ids: readonly string[]) => Promise.all(ids.map((id) => fire(id, 1))),
  }
}

it('fires few schedules at once, and one of another workspace before all of a busy one', async () => {
  const { looked, atOnce, fireAll } = firing()
  const ids = [...busyOnes(100), 'trg_quiet']
  expect(await fireAll(ids)).toEqual(ids.map(() => ({})))
  expect(atOnce.most).toBeLessThanOrEqual(8)
  expect(looked.indexOf('trg_quiet')).toBeLessThan(20)
})

it('keeps Restate waiting for a limited number of schedules of one workspace, and leaves the others to the sweeper', async () => {
  const { looked, fireAll } = firing()
  const fired = await fireAll([...busyOnes(1_000), 'trg_quiet'])
  expect(fired).toEqual(fired.map(() => ({})))
  expect(looked.length).toBeLessThan(600)
  expect(looked).toContain('trg_quiet')
})

it('leaves to the sweeper what has waited long for others, which is no failure', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { looked, fire, fireAll, holdUp } = firing()
  const goOn = holdUp()
  const others = fireAll(busyOnes(8))
  const fired = fire('trg_quiet', 1)
  await setImmediate()
  await vi.advanceTimersByTimeAsync(30_000)
  expect(await fired).toEqual({})
  expect(looked).not.toContain('trg_quiet')
  goOn()
  await others
})

it('does not fire what Restate no longer waits for when its turn comes', async () => {
  const { looked, fire, fireAll } = firing()
  const dropped = new AbortController()
  const others = fireAll(busyOnes(20))
  const fired = fire('trg_quiet', 1, dropped.signal)
  dropped.abort(new Error('the connection is closed'))
  await expect(fired).rejects.toThrow('the connection is closed')
  await others
  expect(looked).not.toContain('trg_quiet')
})
