import { expect, it, onTestFinished } from 'vitest'
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
