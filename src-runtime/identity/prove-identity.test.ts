import { describe, expect, it, onTestFinished } from 'vitest'
import { identityProof } from './identity-proof.ts'
import { type Answer, json, silent, startScriptedServer } from '../../src-sdk/scripted-server.test-support.ts'
import { provesToOwn } from './prove-identity.ts'

const SECRET = 'only the owner of the data directory knows this'

const serve = async (answer: Answer) => {
  const server = await startScriptedServer(answer)
  onTestFinished(server.close)
  return server
}

/** Answers like the runtime, with `changes` to the body. */
const health =
  (secret: string, changes: Readonly<Record<string, unknown>> = {}, port?: number): Answer =>
  (request, response) => {
    const url = new URL(request.url, `http://${request.headers.host ?? ''}`)
    const challenge = url.searchParams.get('challenge') ?? ''
    const claim = { challenge, instanceId: 'i', port: port ?? Number(url.port) }
    const proof = identityProof(secret, claim)
    const body = { service: 'workflow-execution-service', instanceId: 'i', port: claim.port, proof, ...changes }
    return json(200, body)(request, response)
  }

describe('proof of identity', () => {
  it('is accepted from a runtime that knows the secret', async () => {
    const server = await serve(health(SECRET))
    expect(await provesToOwn({ port: server.port, secret: SECRET })).toBe(true)
    expect(server.seen).toHaveLength(1)
    expect(server.seen[0]?.url).toMatch(/^\/healthz\?challenge=[\w-]{43}$/)
  })

  it('uses a new challenge each time', async () => {
    const server = await serve(health(SECRET))
    await provesToOwn({ port: server.port, secret: SECRET })
    await provesToOwn({ port: server.port, secret: SECRET })
    expect(server.seen[0]?.url).not.toBe(server.seen[1]?.url)
  })

  it.each<[string, Answer]>([
    ['another secret', health('another')],
    ['the proof for another port', health(SECRET, {}, 1)],
    ['another port in the answer', health(SECRET, { port: 1 })],
    ['another service', health(SECRET, { service: 'other' })],
    ['an empty proof', health(SECRET, { proof: '' })],
    ['no proof', health(SECRET, { proof: undefined })],
    ['invalid JSON', (_request, response) => void response.end('<html>')],
    ['JSON that is not an object', json(200, null)],
    ['too long an answer', health(SECRET, { padding: 'x'.repeat(1_100_000) })],
  ])('is not accepted from %s', async (_what, answer) => {
    const server = await serve(answer)
    expect(await provesToOwn({ port: server.port, secret: SECRET })).toBe(false)
  })

  it('is not accepted without an answer in time', async () => {
    const server = await serve(silent)
    expect(await provesToOwn({ port: server.port, secret: SECRET }, 100)).toBe(false)
    await server.close()
    expect(await provesToOwn({ port: server.port, secret: SECRET })).toBe(false)
  })
})
