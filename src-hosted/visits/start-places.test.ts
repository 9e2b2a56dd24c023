import { expect, it } from 'vitest'
import { createStartPlaces } from './start-places.ts'

const rig = (lateMs?: number) => {
  let at = 10_000
  const places = createStartPlaces(() => at, lateMs)
  const gives: (() => void)[] = []
  const counts = new Map<string, number>()
  let without = 0
  const take = (workspaceId: string, count: number, programId = ''): void => {
    for (let n = 0; n < count; n += 1) {
      void places.take(workspaceId, programId).then((give) => {
        if (give === undefined) return void (without += 1)
        gives.push(give)
        const name = workspaceId + programId
        counts.set(name, (counts.get(name) ?? 0) + 1)
      })
    }
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return {
    take,
    /** How many of each workspace have a place, or had one. */
    admitted: async () => {
      await settled()
      return Object.fromEntries(counts)
    },
    without: async () => {
      await settled()
      return without
    },
    stop: places.stop,
    giveAll: () => gives.splice(0).forEach((give) => give()),
    pass: (ms: number) => void (at += ms),
  }
}

it('lets one workspace use most places, and fewer while another starts something too', async () => {
  const { take, admitted, giveAll, pass } = rig()
  take('busy', 60)
  expect(await admitted()).toEqual({ busy: 48 })
  take('quiet', 1)
  expect(await admitted()).toEqual({ busy: 48, quiet: 1 })
  for (const busy of [52, 56, 60]) {
    giveAll()
    expect(await admitted()).toEqual({ busy, quiet: 1 })
  }
  giveAll()
  pass(1_001)
  take('busy', 20)
  expect(await admitted()).toEqual({ busy: 80, quiet: 1 })
})

it('lets Programs of a workspace take turns', async () => {
  const { take, admitted, giveAll } = rig()
  take('one', 200, ' busy')
  take('one', 1, ' light')
  expect(await admitted()).toEqual({ 'one busy': 48 })
  giveAll()
  expect(await admitted()).toEqual({ 'one busy': 95, 'one light': 1 })
})

it('lets a start go without a place that none is free for in time', async () => {
  const { take, admitted, giveAll } = rig(10)
  take('busy', 50)
  expect(await admitted()).toEqual({ busy: 48 })
  await new Promise((resolve) => setTimeout(resolve, 20))
  giveAll()
  expect(await admitted()).toEqual({ busy: 48 })
})

it('lets all starts go without a place that wait when the process stops, or later', async () => {
  const { take, admitted, without, stop } = rig()
  take('busy', 50)
  expect([await admitted(), await without()]).toEqual([{ busy: 48 }, 0])
  stop()
  expect([await admitted(), await without()]).toEqual([{ busy: 48 }, 2])
  take('busy', 1)
  take('quiet', 1)
  expect([await admitted(), await without()]).toEqual([{ busy: 48, quiet: 1 }, 3])
})
