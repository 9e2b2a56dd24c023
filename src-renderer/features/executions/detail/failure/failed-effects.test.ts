import { expect, it } from 'vitest'
import { journalOf, written } from '../journal/journals.test-support.ts'
import { failedEffects } from './failed-effects.ts'

it('finds the effect that failed the Execution', () => {
  const failed = (command: number, name: string, message: string) => [
    { afterMs: 0, type: 'effect_scheduled' as const, command, name },
    {
      afterMs: 1,
      type: 'effect_failed' as const,
      command,
      name,
      attempt: 1,
      data: { error: { name: 'Busy', message } },
    },
  ]
  const { commands } = journalOf(written(...failed(1, 'read', 'gone'), ...failed(2, 'charge', 'the card is refused')))
  const names = (message: string) => failedEffects(commands, { code: 'effect_failed', message }).map(({ name }) => name)
  expect(names('the card is refused')).toEqual(['charge'])
  expect(names('something else')).toEqual([])
})
