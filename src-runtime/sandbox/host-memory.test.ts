// The memory of a host process, from the outside.

import { afterAll, expect, test } from 'vitest'
import { createPoolRig } from './pool-rig.test-support.ts'
import { readUsage } from './read-usage.ts'

const rig = createPoolRig()
afterAll(() => rig.hosts.stop())

const MIB = 1024 * 1024
const CODE = `({ run: async (ctx, input) => [input, await ctx.waitForEvent('go')] })`

const park = async (count: number): Promise<void> => {
  const lanes = Array.from({ length: 64 }, async (_, lane) => {
    for (let index = lane; index < count; index += 64) await rig.execution(CODE).start({ index })
  })
  await Promise.all(lanes)
}

/** Of the shared host. */
const rssBytes = (): number => readUsage(rig.processes[0]?.host.pid ?? 0)?.rssBytes ?? Number.NaN

test.runIf(process.platform === 'linux')('is bounded whatever the number of parked Executions', async () => {
  await park(300)
  const before = rssBytes()
  await park(10_000)
  // Their images take 24 MiB at most.
  expect((rssBytes() - before) / MIB).toBeLessThan(44)
})
