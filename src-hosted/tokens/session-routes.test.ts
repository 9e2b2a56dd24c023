import Fastify from 'fastify'
import { expect, it, onTestFinished } from 'vitest'
import { createTokenBuckets } from '../limits/token-buckets.ts'
import { addSessionRoutes } from './session-routes.ts'
import { sessionRules } from './session-rules.ts'
import { newTokenText } from './token-text.ts'

const ORIGIN = 'http://localhost:8080'

it('is not begun by trying often from one address', async () => {
  let now = 0
  const app = Fastify({ trustProxy: true })
  onTestFinished(() => app.close())
  addSessionRoutes(app, {
    rules: sessionRules(ORIGIN),
    access: { startSession: () => Promise.resolve(), endSession: () => Promise.resolve() },
    callers: { find: () => undefined, forget: () => {} },
    buckets: createTokenBuckets(() => now),
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  const signIn = async (address = '192.0.2.1') => {
    const headers = { origin: ORIGIN, 'content-type': 'application/json', 'x-forwarded-for': address }
    const body = JSON.stringify({ token: newTokenText() })
    const answer = await fetch(`${url}/session`, { method: 'POST', headers, body })
    return [answer.status, answer.headers.get('retry-after')]
  }
  for (let tries = 0; tries < 10; tries += 1) expect(await signIn()).toEqual([401, null])
  expect(await signIn()).toEqual([429, '2'])
  expect(await signIn('192.0.2.2')).toEqual([401, null])
  now = 2_000
  expect(await signIn()).toEqual([401, null])
})
