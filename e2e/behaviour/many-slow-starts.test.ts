// Contract section 3: no Execution delays the others by more than about a second. Here hundreds of slow ones are started
// at once. The runtime ends with the test, since they would compute for minutes.

import { expect, it, onTestFinished } from 'vitest'
import { slowdownDuring } from '#runtime/behaviour/slowdown.test-support.ts'
import { programOf } from '#runtime/behaviour/artifacts.test-support.ts'
import { talkTo } from '#runtime/behaviour/talk.test-support.ts'
import { startRuntimeProcess } from '../runtime-process.test-support.ts'

const STARTS = 600
const ROUNDS = 20
/** On an idle machine, which sends and answers 600 requests within this time too. */
const DELAY_LIMIT_MS = 1_500

it(
  '600 slow Executions started at once delay a quick one by about a second at most',
  { timeout: 600_000 },
  async () => {
    const runtime = await startRuntimeProcess()
    onTestFinished(runtime.dispose)
    const talk = talkTo(() => ({ url: runtime.url(), headers: {} }))
    for (const [id, body] of [
      ['quick', 'return input'],
      ['slow', 'for (;;);'],
    ] as const) {
      expect(await talk.call('POST', '/v1/programs/deploy', { json: programOf(id, body) })).toMatchObject({
        status: 201,
      })
    }
    const runQuick = async (): Promise<number> => {
      const startedAt = performance.now()
      expect(await talk.result(await talk.start('quick', 1))).toEqual({ status: 'completed', result: 1 })
      return performance.now() - startedAt
    }
    await runQuick()
    let slowest = 0
    const slowdown = await slowdownDuring(async () => {
      const starts = Promise.all(Array.from({ length: STARTS }, () => talk.start('slow')))
      for (let round = 0; round < ROUNDS; round += 1) slowest = Math.max(slowest, await runQuick())
      await starts
    })
    expect(slowest).toBeLessThan(DELAY_LIMIT_MS * slowdown)
  },
)
