import { expect, it } from 'vitest'
import { journalOf, written } from '../journal/journals.test-support.ts'
import { failedEffect, withoutEffectErrors } from './failed-effect.ts'

const failed = (command: number, name: string, message: string, errorName = 'Busy') => [
  { afterMs: 0, type: 'effect_scheduled' as const, command, name },
  {
    afterMs: 1,
    type: 'effect_failed' as const,
    command,
    name,
    attempt: 1,
    data: { error: { name: errorName, message } },
  },
]

it('finds the effect that failed the Execution', () => {
  const { commands } = journalOf(written(...failed(1, 'read', 'gone'), ...failed(2, 'charge', 'the card is refused')))
  const name = (message: string) => failedEffect(commands, { code: 'effect_failed', message })?.name
  expect(name('the card is refused')).toBe('charge')
  expect(name('something else')).toBe(undefined)
})

it.each(['Busy', 'Error'])('leaves the errors of the effect, here a %s, out of those of the Program', (name) => {
  const { commands } = journalOf(written(...failed(1, 'charge', 'the card is refused', name)))
  const chain = [
    'Wrapped: the card is refused',
    'EffectError: the card is refused',
    `${name}: the card is refused`,
    'Error: connect ECONNREFUSED',
  ].map((headline) => ({ headline, lines: [] }))
  expect(withoutEffectErrors(chain, commands[0])).toEqual(chain.slice(0, 2))
  expect(withoutEffectErrors(chain.slice(0, 2), commands[0])).toEqual(chain.slice(0, 2))
  expect(withoutEffectErrors(chain, undefined)).toEqual(chain)
})
