import { once } from 'node:events'
import { request as sendHttp, type IncomingMessage } from 'node:http'
import { json as readJson } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { ApiError } from '../contract/errors.ts'
import type { Principal } from '../ports/principal.ts'
import { pause } from '../shared/pause.ts'
import { createHttpRig } from './http-rig.test-support.ts'

/** A home whose tokens the test revokes. */
const createRig = async () => {
  const listeners = new Set<() => void>()
  const rig = await createHttpRig({
    whenRevoked: (_who, listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  })
  onTestFinished(rig.close)
  await rig.deploy('hello')
  const revoke = () => {
    for (const listener of listeners) listener()
  }
  return { ...rig, listeners, revoke }
}

it('ends a stream of changes when the token of its reader is revoked', async () => {
  const { origin, listeners, revoke } = await createRig()
  const answer = await fetch(`${origin}/v1/changes`)
  await expect.poll(() => listeners.size).toBe(1)
  revoke()
  expect(await answer.text()).toContain('retry: 1000')
  await expect.poll(() => listeners.size).toBe(0)
})

it('sends an answer that waits when the token of its caller is revoked', async () => {
  const { call, start, listeners, revoke } = await createRig()
  const id = await start('hello', { do: 'wait', for: 'go' })
  await expect.poll(async () => (await call('GET', `/v1/executions/${id}`)).json.status).toBe('waiting')
  const held = call('GET', `/v1/executions/${id}/result`, { headers: { prefer: 'wait=60' } })
  await expect.poll(() => listeners.size).toBe(1)
  revoke()
  expect((await held).json).toEqual({ status: 'waiting' })
  expect(listeners.size).toBe(0)
})

it('watches nothing of answers that do not wait', async () => {
  const { call, listeners } = await createRig()
  await call('GET', '/v1/executions')
  expect(listeners.size).toBe(0)
})

it('asks again who sends a request where the answer came late', async () => {
  let asked = 0
  const authenticate = async (): Promise<Principal | ApiError> => {
    asked += 1
    if (asked > 1) return new ApiError('unauthorized', 'It was revoked.')
    await pause(10) // longer than `askAgainMs`
    return { workspaceId: 'wsp_1', tokenId: 'tok_1', role: 'admin' }
  }
  const rig = await createHttpRig({ askAgainMs: 5, authenticate })
  onTestFinished(rig.close)
  expect((await rig.call('POST', '/v1/projects', { json: { name: 'Late' } })).status).toBe(401)
  expect(rig.store.projects.list().map(({ name }) => name)).toEqual(['Default'])
})

it.each([
  ['a token that was revoked meanwhile', { isRevoked: true, status: 401 }],
  ['another one', { isRevoked: false, status: 201 }],
])('asks again who sends a request that took long to arrive: %s', async (_what, { isRevoked, status }) => {
  const answers: (Principal | ApiError)[] = [{ workspaceId: 'wsp_1', tokenId: 'tok_1', role: 'admin' }]
  let asked = 0
  const rig = await createHttpRig({ askAgainMs: 5, authenticate: () => answers[asked++] ?? answers[0]! })
  onTestFinished(rig.close)
  const body = JSON.stringify({ name: 'Slow' })
  const sending = sendHttp(`${rig.origin}/v1/projects`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': body.length },
  })
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>
  sending.write(body.slice(0, 3))
  await expect.poll(() => asked).toBe(1)
  await pause(10) // longer than `askAgainMs`
  if (isRevoked) answers.push(new ApiError('unauthorized', 'It was revoked.'))
  sending.end(body.slice(3))
  const [answer] = await answered
  expect([answer.statusCode, await readJson(answer)]).toEqual([
    status,
    isRevoked
      ? { error: { code: 'unauthorized', message: 'It was revoked.' } }
      : expect.objectContaining({ name: 'Slow' }),
  ])
  expect(rig.store.projects.list().map(({ name }) => name)).toEqual(isRevoked ? ['Default'] : ['Default', 'Slow'])
})
