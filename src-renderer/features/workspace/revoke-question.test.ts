import { expect, it } from 'vitest'
import type { Token } from '#sdk/index.ts'
import { revokeQuestion } from './revoke-question.ts'

const NOW = Date.parse('2026-11-20T18:00:00.000Z')
const token = (id: string, rest: Partial<Token> = {}): Token => ({
  id,
  name: `name of ${id}`,
  role: 'admin',
  createdAt: '2026-11-01T00:00:00.000Z',
  ...rest,
})
const ask = (revoked: Token, tokens: readonly Token[], own?: string) =>
  revokeQuestion(revoked, { tokens, own, now: NOW }).text

const [one, other] = [token('tok_1'), token('tok_2')]

it('names the token, and when it stops working', () => {
  expect(ask(one, [one, other])).toBe(
    'The token “name of tok_1” stops working within 5 seconds. This cannot be undone.',
  )
})

it('warns of the end of this session', () => {
  expect(ask(one, [one, other], 'tok_1')).toContain('this session ends')
  expect(ask(one, [one, other], 'tok_2')).not.toContain('session')
})

it('warns when no admin is left', () => {
  const expired = token('tok_3', { expiresAt: '2026-11-20T17:00:00.000Z' })
  expect(ask(one, [one, token('tok_4', { role: 'write' }), expired])).toContain('No other token')
  expect(ask(one, [one, other])).not.toContain('No other token')
  const reader = token('tok_5', { role: 'read' })
  expect(ask(reader, [reader])).not.toContain('No other token')
})
