import { afterEach, describe, expect, it } from 'vitest'
import { createEffectRig, type EffectRig } from './effect-project.test-support.ts'

let rig: EffectRig
afterEach(() => rig.stop())

describe('an effect', () => {
  it('gets its input and context, and its result comes back as JSON', async () => {
    rig = createEffectRig()
    rig.deploy(
      'ver_1',
      `export const echo = async (input, { executionId, attempt, idempotencyKey, signal, log }) =>
         ({ input, executionId, attempt, idempotencyKey, aborted: signal.aborted, levels: Object.keys(log) })`,
    )
    const input = { orderId: 'o1', list: [1, null, 'ü\\u2028'], __proto__: { a: 1 }, nested: { constructor: 1 } }
    expect(await rig.result('echo', input, { attempt: 3, executionId: 'exe_a', idempotencyKey: 'exe_a/7' })).toEqual({
      input: JSON.parse(JSON.stringify(input)),
      executionId: 'exe_a',
      attempt: 3,
      idempotencyKey: 'exe_a/7',
      aborted: false,
      levels: ['debug', 'info', 'warn', 'error'],
    })
  })
})
