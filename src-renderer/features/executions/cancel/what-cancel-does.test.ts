import { expect, it } from 'vitest'
import { whatCancelDoes } from './what-cancel-does.ts'

it('says what a cancel does, by what the Execution does now', () => {
  expect(whatCancelDoes({ status: 'queued', waitingFor: [] })).toContain('none of its code will run')
  const parked = whatCancelDoes({ status: 'waiting', waitingFor: [{ kind: 'event', name: 'a', since: '' }] })
  expect(parked).toContain('30 seconds')
  expect(parked).not.toContain('Effects')
  expect(whatCancelDoes({ status: 'waiting', waitingFor: [{ kind: 'effect', name: 'charge', attempt: 1 }] })).toContain(
    'Effects that run now are told to stop',
  )
})
