// A real host, to which the test speaks as the runtime does.

import { expect, onTestFinished, test, vi } from 'vitest'
import type { FromHost, ResultMessage } from './host-messages.ts'
import { DEFAULT_POOL_LIMITS } from './pool-limits.ts'
import { DELIVERY_KINDS, type ActivationMessage, type ProgramMessage } from './protocol.ts'
import { spawnHost } from './spawn-host.ts'

const PROGRAMS: readonly ProgramMessage[] = [
  ['quick', '', '({ run: async () => 1 })', ''],
  ['slow', '', '({ run: async () => { for (let n = 0; n < 5e6; n++); } })', ''],
  ['endless', '', '({ run: async () => { for (;;); } })', ''],
]

const createHost = async (sharedTurnMs: number) => {
  const host = spawnHost('shared', { ...DEFAULT_POOL_LIMITS.budgets, sharedTurnMs })
  onTestFinished(() => host.kill())
  const results: ResultMessage[] = []
  const rig = { results, heard: 0 }
  host.onMessage((message) => {
    const from = message as FromHost
    if (from.kind !== 'results') return
    if (from.running !== undefined) rig.heard += 1
    results.push(...from.results)
  })
  let sequence = 0
  const run = (versionId: string, heard: number): void => {
    sequence += 1
    const start = [DELIVERY_KINDS.start, 0, 0, '{}', null] as const
    const isAnnounced = versionId !== 'quick'
    const task: ActivationMessage = [sequence, `exe_${sequence}`, versionId, 1, versionId, 0, [start], isAnnounced, '']
    host.send({ kind: 'run', programs: sequence === 1 ? PROGRAMS : [], batch: [task], heard })
  }
  const hasAnswered = (count: number): Promise<void> => vi.waitFor(() => expect(results).toHaveLength(count), 10_000)
  run('quick', 0)
  await hasAnswered(1)
  return Object.assign(rig, { run, hasAnswered })
}

test('a host reads all that has arrived during a long turn before it chooses the next one', async () => {
  const { run, hasAnswered, results } = await createHost(60_000)
  for (let n = 0; n < 5; n += 1) run('slow', 0)
  run('quick', 0)
  await hasAnswered(7)
  // Behind one slow turn, if that began before the next message came.
  expect([1, 2]).toContain(results.findIndex(([sequence]) => sequence === 7))
})

test('a task that small messages have passed is sent back if its version was abandoned since it was sent', async () => {
  const host = await createHost(20)
  host.run('endless', 0)
  await host.hasAnswered(2)
  host.run('quick', host.heard)
  host.run('endless', 0)
  await host.hasAnswered(4)
  host.run('endless', host.heard)
  await host.hasAnswered(5)
  const inOrder = host.results.toSorted(([one], [other]) => one - other)
  expect(inOrder.map(([, kind]) => kind)).toEqual(['ran', 'abandoned', 'ran', 'sent_back', 'abandoned'])
})
