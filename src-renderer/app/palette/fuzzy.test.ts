import { describe, expect, it } from 'vitest'
import { fit } from './fuzzy.ts'

const ranked = (query: string, texts: readonly string[]) =>
  texts
    .flatMap((text) => {
      const found = fit(query, text)
      return found === undefined ? [] : [{ text, score: found.score }]
    })
    .toSorted((one, other) => other.score - one.score)
    .map(({ text }) => text)

describe('how well a query fits', () => {
  it('leaves out what does not hold its letters in their order', () => {
    expect(ranked('gx', ['Go to Executions', 'exit g', 'Errors'])).toEqual(['Go to Executions'])
  })

  it('puts what begins with it first, then words that do, then anything else', () => {
    expect(ranked('set', ['Reset', 'Go to Settings', 'Settings', 'Start executions'])).toEqual([
      'Settings',
      'Go to Settings',
      'Reset',
      'Start executions',
    ])
  })

  it('knows the initials of words', () => {
    expect(ranked('np', ['Open Waiting', 'New project', 'Run again: unpaid'])[0]).toBe('New project')
    expect(ranked('oa', ['order-approval', 'bolivar'])[0]).toBe('order-approval')
    expect(fit('oa', 'orderApproval')?.places).toEqual([0, 5])
  })

  it('does not mind case and spaces', () => {
    expect(fit('NEW  project', 'New project')).toBeDefined()
    expect(fit('', 'anything')).toEqual({ score: 0, places: [] })
  })

  it('stays quick, whatever it is given', () => {
    const before = performance.now()
    for (let index = 0; index < 1_000; index += 1) fit('a'.repeat(50), 'ab'.repeat(5_000))
    expect(performance.now() - before).toBeLessThan(2_000)
  })
})
