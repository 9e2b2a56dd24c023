import { expect, it } from 'vitest'
import { createFaultLevels } from './fault-levels.ts'
import { StoreUnavailableError } from './store-errors.ts'

it('is debug for an error of the store that was logged in the last minute, and for no other', () => {
  let now = 5
  const levelOf = createFaultLevels(() => now)
  const full = new StoreUnavailableError('the disk is full')
  const locked = new StoreUnavailableError('another program locks it')
  expect([full, full, locked, locked, full].map((error) => levelOf(error, 'warn'))).toEqual([
    'warn',
    'debug',
    'warn',
    'debug',
    'debug',
  ])
  now += 60_000
  expect([full, full].map((error) => levelOf(error, 'error'))).toEqual(['error', 'debug'])
  const other = new Error('a bug')
  expect([other, other].map((error) => levelOf(error, 'error'))).toEqual(['error', 'error'])
})
