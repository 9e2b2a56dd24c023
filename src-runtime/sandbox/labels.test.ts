// A Program's label for an Execution: computed with the first turn, which it must not affect.

import { describe, expect, test } from 'vitest'
import { commandsOf, createRig, resultOf } from './runner-rig.test-support.ts'

const rig = createRig()
const labelled = (label: string, run = 'async (ctx, input) => input') =>
  rig.artifact(`let calls = 0; ({ run: ${run}, label: ${label} })`)

describe('a label', () => {
  test('is what the function returns for the input', () => {
    expect(labelled('(input) => `Order ${input.orderId}`').start({ orderId: 'A-7' }).label).toBe('Order A-7')
    expect(labelled('function (input) { return typeof this.run + typeof input }').start().label).toBe(
      'functionundefined',
    )
  })

  test('is cut after 200 characters, never within a surrogate pair', () => {
    expect(labelled(`() => 'x'.repeat(1_000)`).start().label).toBe('x'.repeat(200))
    expect(labelled(`() => 'x' + '😀'.repeat(200)`).start().label).toBe(`x${'😀'.repeat(99)}`)
  })

  test.each([
    `() => { throw new Error('no') }`,
    `() => undefined`,
    `() => 7`,
    `() => ''`,
    `async () => 'later'`,
    `(input) => input.a.b`,
    `() => { for (;;); }`,
    `() => { const f = () => f(); return f() }`,
    `() => { const all = []; for (;;) all.push(new Array(1e6).fill(1)) }`,
    `'text'`,
  ])('is absent where it comes to nothing: %s', (label) => {
    const output = labelled(label).start({ orderId: 'A-7' })
    expect(output.label).toBeUndefined()
    expect(resultOf(output)).toEqual({ orderId: 'A-7' })
  })

  test('does not affect the Execution or the next one', () => {
    const changes = `(input) => { calls++; input.orderId = 'B-8'; globalThis.left = 1; console.log('heard'); return 'done' }`
    const run = `async (ctx, input) => [calls, input.orderId, typeof left]`
    for (const orderId of ['A-7', 'A-9']) {
      const output = labelled(changes, run).start({ orderId })
      expect([output.label, resultOf(output), output.operations]).toEqual(['done', [0, orderId, 'undefined'], []])
    }
  })

  test('is computed in the first turn only, and replays without a difference', () => {
    const execution = labelled(`() => 'named'`, `async (ctx) => { await ctx.sleep(1); await ctx.sleep(1) }`)
    expect(commandsOf(execution.start())).toHaveLength(1)
    expect(execution.timer(1).label).toBeUndefined()
    expect(execution.replay()[1]).toBe('ran')
    expect(execution.again().label).toBe('named')
  })
})
