import Fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { createTokenBuckets } from '../limits/token-buckets.ts'
import { addSessionRoutes } from './session-routes.ts'
import { sessionRules } from './session-rules.ts'
import { newTokenText } from './token-text.ts'

const ORIGIN = 'http://localhost:8080'

it('is not begun by trying often from one address', async () => {
  let now = 0
  const app = Fastify()
  onTestFinished(() => app.close())
  addSessionRoutes(app, {
    rules: sessionRules(ORIGIN),
    access: { startSession: () => Promise.resolve(), endSession: () => Promise.resolve() },
    callers: { find: () => undefined, forget: () => {} },
    buckets: createTokenBuckets(() => now),
  })
  const signIn = async (remoteAddress = '192.0.2.1') => {
    const payload = { token: newTokenText() }
    const request = { method: 'POST', url: '/session', headers: { origin: ORIGIN }, payload, remoteAddress } as const
    const { statusCode, headers } = await app.inject(request)
    return [statusCode, headers['retry-after']]
  }
  for (let tries = 0; tries < 10; tries += 1) expect(await signIn()).toEqual([401, undefined])
  expect(await signIn()).toEqual([429, '2'])
  expect(await signIn('192.0.2.2')).toEqual([401, undefined])
  now = 2_000
  expect(await signIn()).toEqual([401, undefined])
})
