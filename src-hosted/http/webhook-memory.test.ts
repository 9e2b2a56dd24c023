// What strangers can make the ingress take: its addresses are public.

import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { hostedHttpRig } from './hosted-http-rig.test-support.ts'

const rig = hostedHttpRig()

const BODY_BYTES = 1_000_000
/** As many bodies as one workspace may have under way. */
const MOST_OF_WORKSPACE = Math.floor((64 * 1024 ** 2) / BODY_BYTES)

type Webhook = { readonly publicId: string; readonly secret: string }

const makeWebhook = async (more: Readonly<Record<string, unknown>>) => {
  const shop = await rig.newTenant()
  await shop.deploy('hello')
  const put = (json: unknown) => shop.call('PUT', '/v1/projects/default/triggers', { json })
  return (await put([{ programId: 'hello', type: 'webhook', ...more }])).json.items[0] as Webhook
}
const newWebhook = async (more: Readonly<Record<string, unknown>> = {}) => (await makeWebhook(more)).publicId
const newSignedWebhook = () => makeWebhook({ secret: 'generate' })

/** As the sender with the secret makes them, or a stranger. */
const signatureHeaders = (id: string, body: string, secret = 'whsec_eHh4') => {
  const at = String(Math.floor(Date.now() / 1_000))
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': `v1,${signature}` }
}

/** Sends the head of a call whose body does not come. */
const announce = async (
  publicId: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ socket: Socket; answer: Promise<string> }> => {
  const { port, host } = new URL(rig.hooksOrigin)
  const socket = connect(Number(port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  const answer = once(socket, 'data').then(String)
  answer.catch(() => {})
  const all = { host, 'content-type': 'application/json', 'content-length': String(BODY_BYTES), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`POST /${publicId} HTTP/1.1\r\n${lines.join('')}\r\n`)
  await once(socket, 'connect')
  return { socket, answer }
}

it('answers a call of an unknown address before its body has come', async () => {
  const { answer } = await announce('x'.repeat(32))
  expect(await answer).toMatch(/^HTTP\/1\.1 404 .*"trigger_not_found"/s)
})

it('answers a call that is not signed before its body has come', async () => {
  const { answer } = await announce(await newWebhook({ secret: 'generate' }))
  expect(await answer).toMatch(/^HTTP\/1\.1 401 .*"invalid_signature".*Standard Webhooks.*webhook-id is missing/s)
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
  const open = await Promise.all(Array.from({ length: MOST_OF_WORKSPACE + 4 }, () => announce(full)))
  for (const { socket } of open) socket.write(Buffer.alloc(BODY_BYTES - 1, 'x'))
  // Who arrives too slowly makes way for those that wait, who are told so only if all others are as slow.
  expect((await rig.hook(full, { json: 1 })).status).toBe(202)
  expect((await rig.hook(other, { json })).status).toBe(202)
  expect(await Promise.race(open.map(({ answer }) => answer))).toMatch(
    /^HTTP\/1\.1 503 .*retry-after: 1\r\n.*"unavailable"/is,
  )
  expect((await rig.hook(full, { json })).status).toBe(202)
  for (const { socket } of open) socket.destroy()
  expect((await rig.hook(full, { json })).status).toBe(202)
})

it('takes a signed call although strangers announce as many bodies as they like, and send them slowly', async () => {
  const { publicId, secret } = await newSignedWebhook()
  const strangers = await Promise.all(
    Array.from({ length: 2 * MOST_OF_WORKSPACE }, () => announce(publicId, signatureHeaders('none', 'x'))),
  )
  for (const { socket } of strangers) socket.write('x'.repeat(1_000))
  const body = JSON.stringify('x'.repeat(BODY_BYTES))
  const signed = { 'content-type': 'application/json', ...signatureHeaders('msg', body, secret) }
  expect((await rig.hook(publicId, { body, headers: signed })).status).toBe(202)
})

it('gives room back when a call has been answered', async () => {
  const publicId = await newWebhook()
  const json = 'x'.repeat(BODY_BYTES)
  const statuses = new Set<number>()
  for (let calls = 0; calls < MOST_OF_WORKSPACE + 4; calls += 1)
    statuses.add((await rig.hook(publicId, { json })).status)
  expect(statuses).toEqual(new Set([202]))
})
