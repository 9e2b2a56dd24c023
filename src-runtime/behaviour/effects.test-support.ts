// Contract sections 2 and 5: effects, and their attempts.

import { describe, expect, it } from 'vitest'
import type { Part } from './part.test-support.ts'
import type { ProgramWithEffects } from './service.test-support.ts'
import { unique, until } from './talk.test-support.ts'

export const effects: Part = ({ talk, service }) => {
  const begin = async (program: Omit<ProgramWithEffects, 'id'>): Promise<string> => {
    const id = unique('effects')
    await service().deployWithEffects!({ id, ...program })
    return talk.start(id)
  }

  describe('an effect that fails at first', () => {
    const flaky = `async (input, { attempt, idempotencyKey, log }) => {
      log.info('attempt ' + attempt)
      if (attempt < 3) throw new RangeError('declined ' + attempt)
      return { input, attempt, idempotencyKey }
    }`

    it('is tried again with the same key until it succeeds', async () => {
      const id = await begin({
        body: "return ctx.effect(effects.flaky, 'coffee', { retry: { initialInterval: 20 } })",
        effects: { flaky },
      })
      const { status, result } = await talk.result(id)
      const idempotencyKey = expect.stringContaining(id) as string
      expect([status, result]).toEqual(['completed', { input: 'coffee', attempt: 3, idempotencyKey }])
      const history = await talk.history(id)
      expect(history.map(({ type }) => type)).toEqual([
        ...['execution_started', 'effect_scheduled'],
        ...['log', 'effect_attempt_failed', 'log', 'effect_attempt_failed'],
        ...['log', 'effect_completed', 'execution_completed'],
      ])
      const failed = history.filter(({ type }) => type === 'effect_attempt_failed')
      expect(failed).toMatchObject(
        [1, 2].map((attempt) => ({ attempt, data: { error: { name: 'RangeError', message: `declined ${attempt}` } } })),
      )
    })

    it('shows the next attempt and its time, and is tried at once when asked', async () => {
      const id = await begin({
        body: "return ctx.effect(effects.flaky, 'tea', { retry: { initialInterval: '1h', backoffCoefficient: 1 } })",
        effects: { flaky },
      })
      for (const attempt of [2, 3]) {
        const waiting = await until(async () => {
          const [open] = (await talk.execution(id)).waitingFor
          return open?.kind === 'effect' && open.attempt === attempt ? open : undefined
        }, 30_000)
        expect(Date.parse(waiting.nextAttemptAt ?? '') - Date.now()).toBeGreaterThan(3_000_000)
        expect((await talk.call('POST', `/v1/executions/${id}/commands/1/retry`)).status).toBe(202)
      }
      expect((await talk.result(id)).result).toMatchObject({ input: 'tea', attempt: 3 })
    })

    it('fails for good after its last attempt', async () => {
      const id = await begin({
        body: 'return ctx.effect(effects.flaky, 1, { retry: { initialInterval: 1, maxAttempts: 2 } })',
        effects: { flaky },
      })
      expect(await talk.result(id)).toMatchObject({
        status: 'failed',
        error: { code: 'effect_failed', message: expect.stringContaining('declined 2') as string },
      })
    })
  })
}
