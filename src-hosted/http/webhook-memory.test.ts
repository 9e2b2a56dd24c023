// What strangers can make the ingress take: its addresses are public.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { hostedHttpRig } from './hosted-http-rig.test-support.ts'

const rig = hostedHttpRig()

const BODY_BYTES = 1_000_000
/** As many bodies as one workspace may have under way. */
const MOST_OF_WORKSPACE = Math.floor((64 * 1024 ** 2) / BODY_BYTES)

const newWebhook = async (more: Readonly<Record<string, unknown>> = {}) => {
  const shop = await rig.newTenant()
  await shop.deploy('hello')
  const put = (json: unknown) => shop.call('PUT', '/v1/projects/default/triggers', { json })
  return (await put([{ programId: 'hello', type: 'webhook', ...more }])).json.items[0].publicId as string
}

/** Sends the head of a call whose body does not come. */
const announce = async (publicId: string): Promise<{ socket: Socket; answer: Promise<string> }> => {
  const { port, host } = new URL(rig.hooksOrigin)
  const socket = connect(Number(port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const answer = once(socket, 'data').then(String)
  answer.catch(() => {})
  socket.write(
    `POST /${publicId} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: ${BODY_BYTES}\r\n\r\n`,
  )
  await once(socket, 'connect')
  return { socket, answer }
}

it('answers a call of an unknown address before its body has come', async () => {
  const { answer } = await announce('x'.repeat(32))
  expect(await answer).toMatch(/^HTTP\/1\.1 404 .*"trigger_not_found"/s)
})

it('answers a call that is not signed before its body has come', async () => {
  const { answer } = await announce(await newWebhook({ secret: 'generate' }))
  expect(await answer).toMatch(/^HTTP\/1\.1 401 .*"invalid_signature".*webhook-id is missing/s)
})

it('takes few connections to the database for calls of unknown addresses, however many come at once', async () => {
  const { schedules, connections } = rig.hosted.store
  const calls = Array.from({ length: 200 }, (_, n) => schedules.findWebhook(String(n).padStart(32, 'x')))
  await setImmediate()
  expect(connections().find(({ pool }) => pool === 'worker')?.waiting).toBe(0)
  expect(new Set(await Promise.all(calls))).toEqual(new Set([undefined]))
})

it('lets large calls of one workspace wait while others are under way, and no other workspace', async () => {
  const [full, other] = [await newWebhook(), await newWebhook()]
  const json = 'x'.repeat(BODY_BYTES)
  const open = await Promise.all(Array.from({ length: MOST_OF_WORKSPACE }, () => announce(full)))
  const call = async () => {
    const { status, headers, json: answer } = await rig.hook(full, { json })
    return [status, headers['retry-after'], answer.error?.code]
  }
  // A call may overtake the last ones whose body does not come.
  await expect.poll(call).toEqual([503, '1', 'unavailable'])
  expect((await rig.hook(full, { json: 1 })).status).toBe(202)
  expect((await rig.hook(other, { json })).status).toBe(202)
  for (const { socket } of open) socket.destroy()
  expect((await rig.hook(full, { json })).status).toBe(202)
})
