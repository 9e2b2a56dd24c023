import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createFire } from './start-worker.ts'

const BUSY = Array.from({ length: 100 }, (_, index) => `trg_busy${index}`)

it('fires few schedules at once, and one of another workspace before all of a busy one', async () => {
  const looked: string[] = []
  let atOnce = 0
  let most = 0
  const schedules = {
    workspaceOf: async (id: string) => (id.startsWith('trg_busy') ? 1 : 2),
    findSchedule: async (id: string) => {
      looked.push(id)
      atOnce += 1
      most = Math.max(most, atOnce)
      await setImmediate()
      atOnce -= 1
      return undefined
    },
    advance: async () => {},
  }
  const portsOf = (): never => {
    throw new Error('nothing is due')
  }
  const fire = createFire(schedules, portsOf, () => 0)
  const fired = await Promise.all([...BUSY, 'trg_quiet'].map((id) => fire(id, 1)))
  expect(fired).toEqual([...BUSY, 'trg_quiet'].map(() => ({})))
  expect(most).toBeLessThanOrEqual(8)
  expect(looked.indexOf('trg_quiet')).toBeLessThan(20)
})
