import { expect, it, vi } from 'vitest'
import { visitsRig } from './visits-rig.test-support.ts'

const AT_ONCE = 4
const LONG_EFFECTS = 12

// The limit is for each partition.
const rig = visitsRig({
  RESTATE_DEFAULT_NUM_PARTITIONS: '1',
  RESTATE_WORKER__INVOKER__CONCURRENT_INVOCATIONS_LIMIT: String(AT_ONCE),
})

it('leaves room for visits of others, however many long effects one workspace has', async () => {
  await rig.startWorker({ mostAwaited: AT_ONCE / 2 })
  const ends: (() => void)[] = []
  let all = 0
  rig.effects['long'] = () => {
    all += 1
    return new Promise<number>((resolve) => ends.push(() => resolve(1)))
  }
  const code = '({ run: async (ctx) => ctx.effect("long", 1) })'
  const busy = await rig.newProject()
  const started = await Promise.all(Array.from({ length: LONG_EFFECTS }, () => busy.start(code, undefined, 'long')))
  await vi.waitUntil(() => all === LONG_EFFECTS, { interval: 20 })
  const quiet = await rig.newProject()
  const { key } = await quiet.start('({ run: async (ctx) => { await ctx.sleep(50); return 1 } })')
  expect(await quiet.end(key)).toEqual({ status: 'completed', result: 1 })
  for (const end of ends) end()
  for (const one of started) expect(await busy.end(one.key)).toEqual({ status: 'completed', result: 1 })
  expect(all).toBe(LONG_EFFECTS)
})
