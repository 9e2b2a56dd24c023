import { expect, it } from 'vitest'
import type { NewEntry } from '../../src-runtime/engine/journal.ts'
import { systemClock } from '../../src-runtime/shared/clock.ts'
import { createAloneGate } from '../../src-runtime/worker/alone-gate.ts'
import { createEffectLogs } from './effect-logs.ts'
import { createEffectSpeeds } from './effect-speeds.ts'
import { createAttemptPerformer } from './perform-attempts.ts'

it('an attempt ends when everything that it logged is stored, in order, with one write at a time', async () => {
  const stored: string[] = []
  let writes = 0
  let underWay = 0
  const appendLogs = async (_key: number, entries: readonly NewEntry[]): Promise<void> => {
    expect((underWay += 1)).toBe(1)
    writes += 1
    await new Promise((resolve) => setTimeout(resolve, 20))
    stored.push(...entries.map(({ data }) => (JSON.parse(data ?? '') as { readonly message: string }).message))
    underWay -= 1
  }
  const performer = createAttemptPerformer({
    effects: {
      perform: async ({ onLog }) => {
        for (let line = 0; line < 10; line += 1) {
          onLog({ level: 'info', message: `${line}` })
          await new Promise((resolve) => setImmediate(resolve))
        }
        return { kind: 'completed', data: '{}' }
      },
    },
    speeds: createEffectSpeeds(),
    gate: createAloneGate(systemClock),
    logs: createEffectLogs({ appendLogs }),
    noteUnderWay: () => Promise.resolve(),
    now: Date.now,
  })
  const owner = { key: 1, id: 'exe_1', programId: 'p', versionId: 'ver_1' }
  const effect = { kind: 'effect', command: 1, name: 'talk', since: 0, attempt: 1, options: {} } as const
  await performer.perform(owner, effect, '{}', new AbortController().signal)
  expect(stored).toEqual(Array.from({ length: 10 }, (_, line) => `${line}`))
  expect(writes).toBeLessThan(10)
})
