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

describe('the score of a query', () => {
  it('is none for text that does not contain its letters in order', () => {
    expect(ranked('gx', ['Go to Executions', 'exit g', 'Errors'])).toEqual(['Go to Executions'])
  })

  it('is highest at the beginning, then at word beginnings, then elsewhere', () => {
    expect(ranked('set', ['Reset', 'Go to Settings', 'Settings', 'Start executions'])).toEqual([
      'Settings',
      'Go to Settings',
      'Reset',
      'Start executions',
    ])
  })

  it('matches the initials of words', () => {
    expect(ranked('np', ['Open Waiting', 'New project', 'Run again: unpaid'])[0]).toBe('New project')
    expect(ranked('oa', ['order-approval', 'bolivar'])[0]).toBe('order-approval')
    expect(fit('oa', 'orderApproval')?.places).toEqual([0, 5])
  })

  it('ignores case and spaces', () => {
    expect(fit('NEW  project', 'New project')).toBeDefined()
    expect(fit('', 'anything')).toEqual({ score: 0, places: [] })
  })

  it('does not try every way in which letters may stand in a text', () => {
    for (let index = 0; index < 100; index += 1) fit('a'.repeat(50), 'ab'.repeat(5_000))
    expect(fit('a'.repeat(50), 'ab'.repeat(5_000))?.places).toHaveLength(50)
  })
})
