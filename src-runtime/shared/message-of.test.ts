import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { messageOf } from './message-of.ts'

it('says what was thrown, whatever it is', () => {
  expect([new TypeError('wrong'), 'text', undefined].map(messageOf)).toEqual(['wrong', 'text', 'undefined'])
})

it('says why none of the addresses of a name can be connected to', async () => {
  const addresses = [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ]
  const connection = connect({
    host: 'several.test',
    port: 1,
    lookup: (_host, _options, found) => found(null, addresses),
  })
  const [error] = (await once(connection, 'error').catch((failure: unknown) => [failure])) as [Error]
  expect(error.message).toBe('')
  expect(messageOf(error)).toMatch(/^connect E[A-Z]+ ::1:1\b.*, connect ECONNREFUSED 127\.0\.0\.1:1$/)
})
