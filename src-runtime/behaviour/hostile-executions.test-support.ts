// Contract section 3: no Execution delays the others by more than about a second, whatever its code does.

import { describe, expect, it } from 'vitest'
import type { Part } from './part.test-support.ts'

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

export const hostileExecutions: Part = ({ talk }) => {
  describe('an Execution that uses up resources', () => {
    // Four hosts compute on few cores; only the other Executions' time matters.
    it('fails, while the other Executions finish in about a second', { timeout: 60_000 }, async () => {
      const started = await Promise.all(
        Object.values(HOSTILE)
          .slice(0, 4)
          .map((body) => talk.begin(body)),
      )
      for (let round = 0; round < 5; round++) {
        const startedAt = performance.now()
        const id = await talk.begin('const got = await ctx.waitForEvent("a"); await ctx.sleep(1); return got')
        await talk.send(id, 'a', round)
        expect(await talk.result(id)).toEqual({ status: 'completed', result: round })
        expect(performance.now() - startedAt).toBeLessThan(3_000)
      }
      for (const id of started) expect((await talk.result(id)).status).toBe('failed')
    })

    it.each(Object.entries(HOSTILE).slice(4))('fails with %s', { timeout: 20_000 }, async (_, body) => {
      expect(await talk.run(body)).toMatchObject({ status: 'failed' })
      expect(await talk.run('return 1')).toMatchObject({ result: 1 })
    })
  })
}
