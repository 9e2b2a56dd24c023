import { describe, expect, it } from 'vitest'
import { connectionProblem, testProblem } from './connection-problems.ts'

const testing = (status: number, code: string, message = 'What happened.') =>
  testProblem({ kind: 'broken', status, code, message }, 'https://wes.test/api', 'Failed')
const told = (code: string) => connectionProblem({ code, message: 'What happened.' }, 'Acme')

describe('a problem of a connection', () => {
  it('has its own sentence, and keeps what the serving process says', () => {
    const codes = [
      'unauthorized',
      'token_missing',
      'session_required',
      'token_locked',
      'unreachable',
      'too_slow',
      'redirected',
      'not_the_service',
      'wrong_service',
      'newer_service',
      'connection_not_found',
    ]
    const titles = codes.map((code) => told(code)?.title)
    expect(new Set(titles).size).toBe(codes.length)
    expect(titles).not.toContain(undefined)
    expect(told('redirected')?.text).toBe('What happened.')
  })

  it('always has a way back to local', () => {
    for (const code of ['unauthorized', 'unreachable', 'newer_service']) expect(told(code)?.ways).toContain('local')
  })

  it('offers another token for a refused one, and no other address', () => {
    expect(told('unauthorized')).toEqual({
      title: 'The token was refused (revoked or expired)',
      text: 'What happened.',
      ways: ['replace-token', 'local'],
    })
  })

  it('does not repeat its title in its text', () => {
    const message = 'wes.test cannot be reached: the connection was refused'
    const { title, message: text } = testing(502, 'unreachable', message)
    expect([title, text]).toEqual(['wes.test cannot be reached', 'The connection was refused'])
  })

  it('is named in a test where the service answers with an error, and may be saved', () => {
    const message = 'What happened.'
    const refuses = { title: 'wes.test refuses access', message, mayBeSaved: true }
    expect([testing(403, 'forbidden'), testing(429, 'rate_limited')]).toEqual([refuses, refuses])
    const isBroken = { title: 'wes.test answers with an error', message, mayBeSaved: true }
    expect(testing(500, 'internal')).toEqual(isBroken)
    const refused = 'wes.test says that it is wrong, was revoked or has expired. Enter another one.'
    expect(testing(401, 'unauthorized')).toEqual({
      title: 'The token was refused',
      message: refused,
      mayBeSaved: false,
    })
    expect(testing(400, 'invalid_request')).toEqual({ title: 'Failed', message, mayBeSaved: false })
  })

  it('is not what a single request met', () => {
    for (const code of ['not_found', 'forbidden', 'internal', 'toString']) expect(told(code)).toBeUndefined()
  })
})
