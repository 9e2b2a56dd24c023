import { expect, it } from 'vitest'
import { expiresAt } from './expiry.ts'

const NOW = Date.parse('2026-11-20T18:00:00.000Z')

it('is so many days from now', () => {
  expect(expiresAt('7', '', NOW)).toEqual({ kind: 'at', at: new Date('2026-11-27T18:00:00.000Z') })
  expect(expiresAt('90', '', NOW)).toEqual({ kind: 'at', at: new Date('2027-02-18T18:00:00.000Z') })
})

it('may be never', () => expect(expiresAt('never', '2026-11-21', NOW)).toEqual({ kind: 'never' }))

it('is the end of the chosen day in UTC, which is not over', () => {
  expect(expiresAt('day', '2026-11-20', NOW)).toEqual({ kind: 'at', at: new Date('2026-11-21T00:00:00.000Z') })
  expect(expiresAt('day', '2026-11-19', NOW)).toEqual({ kind: 'fault', fault: 'This day is over' })
  expect(expiresAt('day', '', NOW)).toEqual({ kind: 'fault', fault: 'Choose a day' })
})
