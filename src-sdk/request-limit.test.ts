import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient, type ServiceClient } from './create-client.ts'
import { silent, startScriptedServer, until } from './scripted-server.test-support.ts'
import type { FetchFunction } from './web-platform.ts'

afterEach(() => {
  vi.useRealTimers()
})

const url = 'http://service.test'
const mute: FetchFunction = () => new Promise(() => {})

describe('a request without an answer', () => {
  it.each<[string, (client: ServiceClient) => Promise<unknown>]>([
    ['GET /v1/programs', (client) => client.listPrograms()],
    ['POST /v1/executions', (client) => client.start('p')],
    ['POST /v1/executions/e/cancel', (client) => client.cancelExecution('e')],
    ['DELETE /v1/executions/e', (client) => client.deleteExecution('e')],
  ])('ends after 75 s: %s', async (what, call) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const outcome = call(createClient({ url, fetch: mute })).catch((error: unknown) => error)
    let isSettled = false
    void outcome.then(() => (isSettled = true))
    await vi.advanceTimersByTimeAsync(74_999)
    expect(isSettled).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(await outcome).toMatchObject({
      status: 0,
      code: 'network_error',
      message: `${what.replace(' ', ` ${url}`)} got no answer within 75 s`,
    })
  })

  it('ends after the given time, and closes its connection, also in the middle of an answer', async () => {
    for (const answer of [
      silent,
      (_request: unknown, response: { writeHead(status: number): { write(text: string): unknown } }) =>
        void response.writeHead(200).write('{"items":'),
    ]) {
      const server = await startScriptedServer(answer)
      onTestFinished(server.close)
      const client = createClient({ url: server.url, timeout: 250 })
      await expect(client.listPrograms()).rejects.toMatchObject({
        code: 'network_error',
        message: `GET ${server.url}/v1/programs got no answer within 0.25 s`,
      })
      await until(async () => (await server.connections()) === 0)
    }
  })

  it('may have no limit', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    for (const timeout of [Infinity, 2 ** 31]) void createClient({ url, fetch: mute, timeout }).listPrograms()
    expect(vi.getTimerCount()).toBe(0)
  })
})

it('leaves no timer after an answer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await createClient({ url, fetch: () => Promise.resolve(Response.json({ items: [] })) }).listPrograms()
  expect(vi.getTimerCount()).toBe(0)
})

it.each([0, -1, NaN, 'soon'])('the limit cannot be %s', (timeout) => {
  expect(() => createClient({ url, timeout: timeout as number })).toThrow(/more than 0, not /)
})
