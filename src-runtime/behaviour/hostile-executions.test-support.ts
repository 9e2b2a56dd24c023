// Contract section 3: no Execution delays the others by more than about a second, whatever its code does.

import { describe, expect, it } from 'vitest'
import { programOf } from './artifacts.test-support.ts'
import type { Part } from './part.test-support.ts'
import { slowdownDuring } from './slowdown.test-support.ts'
import { type Talk, unique } from './talk.test-support.ts'

const HOSTILE = {
  loop: 'for (;;);',
  memory: 'const all = []; for (;;) all.push("x".repeat(1000) + all.length)',
  logs: 'for (;;) console.log("x".repeat(1000))',
  commands: 'for (;;) ctx.sleep("1h")',
  rejections: 'for (;;) Promise.reject(1)',
  recursion: 'const down = () => down(); down()',
  string: 'let text = "x"; for (;;) text += text',
  result: 'let deep = 1; for (let i = 0; i < 1e6; i++) deep = [deep]; return deep',
}

const NEIGHBOUR = 'const got = await ctx.waitForEvent("a"); await ctx.sleep(1); return got'
/** On an idle machine. The four hostile Executions compute for nearly a second before each has a host of its own. */
const DELAY_LIMIT_MS = 2_000

/** Runs an Execution and returns the time of its slowest step, in ms. */
const slowestStep = async (talk: Talk): Promise<number> => {
  let slowest = 0
  const timed = async <Value>(act: () => Promise<Value>): Promise<Value> => {
    const startedAt = performance.now()
    const value = await act()
    slowest = Math.max(slowest, performance.now() - startedAt)
    return value
  }
  const programId = unique('neighbour')
  const deployed = await timed(() =>
    talk.call('POST', '/v1/programs/deploy', { json: programOf(programId, NEIGHBOUR) }),
  )
  expect(deployed.status).toBe(201)
  const id = await timed(() => talk.start(programId))
  await timed(() => talk.waitsFor(id, 'a'))
  await timed(() => talk.send(id, 'a', 1))
  expect(await timed(() => talk.result(id))).toEqual({ status: 'completed', result: 1 })
  return slowest
}

/** A minute of a machine whose processors all compute: CI, which has half an hour, spends it once. */
const isLeftOut = (home: string): boolean => home === 'hosted' && process.env['CI'] !== undefined

export const hostileExecutions: Part = ({ talk, features }) => {
  describe('an Execution that uses up resources', () => {
    // Four hosts compute on few cores; only the other Executions' time matters.
    it.skipIf(isLeftOut(features.home))(
      'fails, and delays each step of the other Executions by about a second at most',
      { timeout: 600_000 },
      async () => {
        await slowestStep(talk)
        let slowest = 0
        let started: readonly string[] = []
        const slowdown = await slowdownDuring(async () => {
          started = await Promise.all(
            Object.values(HOSTILE)
              .slice(0, 4)
              .map((body) => talk.begin(body)),
          )
          for (let round = 0; round < 5; round += 1) slowest = Math.max(slowest, await slowestStep(talk))
        })
        expect(slowest).toBeLessThan(DELAY_LIMIT_MS * slowdown)
        for (const id of started) expect((await talk.result(id)).status).toBe('failed')
      },
    )

    it.each(Object.entries(HOSTILE).slice(4))('fails with %s', async (_, body) => {
      expect(await talk.run(body)).toMatchObject({ status: 'failed' })
      expect(await talk.run('return 1')).toMatchObject({ result: 1 })
    })
  })
}
