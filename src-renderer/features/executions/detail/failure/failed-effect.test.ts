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
  const long = `the card\nis refused ${'again '.repeat(200)}`
  const { commands } = journalOf(
    written(...failed(1, 'read', 'gone'), ...failed(2, 'charge', 'the card is refused'), ...failed(3, 'pay', long)),
  )
  const name = (message: string) => failedEffect(commands, { code: 'effect_failed', message })?.name
  expect(name('the card is refused')).toBe('charge')
  expect(name(long), 'of several lines').toBe('pay')
  expect(name('something else')).toBe(undefined)
})

it.each(['Busy', 'Error'])('leaves the errors of the effect, here a %s, out of those of the Program', (name) => {
  const { commands } = journalOf(written(...failed(1, 'charge', 'the card is refused', name)))
  const [effect] = commands
  const chain = [
    'Wrapped: the card is refused',
    'EffectError: the card is refused',
    `${name}: the card is refused`,
    'Error: connect ECONNREFUSED',
  ].map((headline) => ({ headline, lines: [] }))
  expect(withoutEffectErrors(chain, effect)).toEqual(chain.slice(0, 2))
  expect(withoutEffectErrors(chain.slice(0, 2), effect)).toEqual(chain.slice(0, 2))
  expect(withoutEffectErrors(chain, undefined)).toEqual(chain)
  const long = 'the card is refused '.repeat(30)
  const [refused] = journalOf(written(...failed(1, 'charge', long, name))).commands
  const longChain = [`EffectError: ${long}`, `${name}: ${long}`].map((headline) => ({ headline, lines: [] }))
  expect(withoutEffectErrors(longChain, refused)).toEqual(longChain.slice(0, 1))
})
