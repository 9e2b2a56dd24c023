import type { ServerResponse } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { answered, createConnectionsRig } from './connections-rig.test-support.ts'
import { startService } from './scripted-service.test-support.ts'
import { withholdToken } from './withhold-token.ts'

const TOKEN = 'wes_a-token-of-the-test'
const MASKED = '*'.repeat(TOKEN.length)

/** A service that answers as told, and a connection `acme` to it. */
const connected = async (answer: (response: ServerResponse) => void, token = TOKEN) => {
  const service = await startService(answer)
  const rig = createConnectionsRig()
  onTestFinished(rig.dispose)
  onTestFinished(service.close)
  await rig.add('Acme', service.url, token)
  return { service, rig }
}

const through = async (token: string, chunks: readonly string[]): Promise<string> =>
  new Response(withholdToken(token).inBody(bodyOf(chunks))).text()
const bodyOf = (chunks: readonly string[]): ReadableStream<Uint8Array> =>
  ReadableStream.from(chunks.map((chunk) => new TextEncoder().encode(chunk)))

describe('the token in an answer', () => {
  it.each([200, 400, 403, 500])(
    'is masked in the body of an answer with status %d, which stays JSON',
    async (status) => {
      const { rig } = await connected((response) => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(
          JSON.stringify({ error: { code: 'odd', message: `authorization: Bearer ${TOKEN}` }, again: TOKEN }),
        )
      })
      const answer = await rig.call('GET', '/hosted/acme/v1/projects')
      expect([answer.status, answer.message]).toEqual([status, `authorization: Bearer ${MASKED}`])
      expect(answer.text).not.toContain(TOKEN)
    },
  )

  it('is masked in headers, and in what is said about a redirect', async () => {
    const { rig, service } = await connected((response) => {
      const headers = ['allow', 'date', 'etag', 'location', 'preference-applied', 'retry-after'].map((name) => [
        name,
        `a${TOKEN}b`,
      ])
      response.writeHead(200, { 'content-type': `application/json; x=${TOKEN}`, ...Object.fromEntries(headers) })
      response.end('{}')
    })
    const { headers } = await rig.call('GET', '/hosted/acme/v1/projects')
    expect(headers.get('etag')).toBe(`a${MASKED}b`)
    expect(JSON.stringify([...headers])).not.toContain(TOKEN)
    service.server.removeAllListeners('request').on('request', (_request, response: ServerResponse) => {
      response.writeHead(302, { location: `https://${TOKEN}.example/` }).end()
    })
    const redirected = await rig.call('GET', '/hosted/acme/v1/projects')
    expect([redirected.code, redirected.text.includes(TOKEN)]).toEqual(['redirected', false])
  })

  it('is masked in the answer to a test of another token', async () => {
    const { rig } = await connected((response) => {
      response
        .writeHead(403, { 'content-type': 'application/json' })
        .end('{"error":{"code":"x","message":"wes_another-one"}}')
    })
    const tested = await rig.call('POST', '/local/connections/test', { id: 'acme', token: 'wes_another-one' })
    expect([tested.status, tested.message]).toEqual([403, '*'.repeat(15)])
  })

  it('is masked in a stream of events, which is not delayed', async () => {
    let stream: ServerResponse | undefined
    const { rig } = await connected((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(`data: "${TOKEN}"\n\n`)
      stream = response
    })
    const answer = await rig.request('GET', '/hosted/acme/v1/changes', { headers: { accept: 'text/event-stream' } })
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
    const next = async () => (await reader.read()).value
    expect(await next()).toBe(`data: "${MASKED}"\n\n`)
    stream!.write('data: "wes"\n\n')
    expect(await next()).toBe('data: "wes"\n\n')
    stream!.write(`data: "${TOKEN.slice(0, 10)}`)
    expect(await next()).toBe('data: "')
    stream!.write(`${TOKEN.slice(10)}"\n\n`)
    expect(await next()).toBe(`${MASKED}"\n\n`)
  })

  it('is masked when the socket delivers it a byte at a time', async () => {
    const text = JSON.stringify({ message: `a${TOKEN}b${TOKEN.slice(0, 9)}${TOKEN}` })
    const { rig } = await connected((response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.socket!.setNoDelay(true)
      void (async () => {
        for (const letter of text) {
          response.write(letter)
          await new Promise(setImmediate)
        }
        response.end()
      })()
    })
    const { text: got } = await answered(await rig.request('GET', '/hosted/acme/v1/projects'))
    expect(got).toBe(text.replaceAll(TOKEN, MASKED))
  })

  it('is masked wherever chunks are split, also around what is only its beginning', async () => {
    const text = `${TOKEN}, ${TOKEN.slice(0, -1)}, ${TOKEN.slice(0, 5)}${TOKEN}${TOKEN}é${TOKEN.slice(0, 4)}`
    const expected = text.replaceAll(TOKEN, MASKED)
    for (let one = 0; one <= text.length; one += 1) {
      for (let other = one; other <= text.length; other += 7) {
        const chunks = [text.slice(0, one), text.slice(one, other), text.slice(other)]
        expect(await through(TOKEN, chunks)).toBe(expected)
      }
    }
  })

  it('is masked where it begins again within itself', async () => {
    const token = 'xyxyxyxyxz'
    expect(await through(token, ['xyxyxyxy', 'xyxyxz!'])).toBe(`xyxy${'*'.repeat(10)}!`)
  })

  it('is masked as JSON and as percent-encoding write it', async () => {
    const token = 'a"b\\c/d%e-fghi'
    const text = [token, JSON.stringify(token), encodeURIComponent(token)].join(' ')
    const masked = await through(token, [...text])
    expect(masked).toMatch(/^\*+ "\*+" \*+$/)
    expect(withholdToken(token).inText(text)).toBe(masked)
  })

  it('is not looked for if it is as short as a word', async () => {
    expect(await through('token', ['{"tokens":[]}'])).toBe('{"tokens":[]}')
  })
})
