import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import pino from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { PortTakenError } from '../../src-runtime/shared/runtime.ts'
import { within } from '../../src-runtime/shared/within.ts'
import { startRestateEndpoint } from './restate-endpoint.ts'

const start = async (port: number, identityKeys: readonly string[] = [], log = pino({ level: 'silent' })) => {
  const endpoint = await startRestateEndpoint({
    host: '127.0.0.1',
    port,
    work: {
      visit: () => Promise.resolve({ attempts: [] }),
      perform: () => Promise.resolve({ kind: 'nothing' }),
    },
    identityKeys,
    log,
  })
  onTestFinished(() => endpoint.stop(0))
  return endpoint
}

it('a worker whose port is taken says so', async () => {
  const { port } = await start(0)
  await expect(start(port)).rejects.toEqual(new PortTakenError(port))
})

it('stops although a silent Restate does not close its connections', async () => {
  const endpoint = await start(0)
  const silent = connect({ port: endpoint.port, host: '127.0.0.1', allowHalfOpen: true })
  onTestFinished(() => void silent.destroy())
  const emptySettings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])
  silent.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), emptySettings]))
  await once(silent, 'data')
  const stopped = endpoint.stop(10).then(() => true)
  expect(await within(10_000, stopped)).toBe(true)
})

it('refuses requests that Restate has not signed, and warns of all of one moment in one line', async () => {
  const lines: string[] = []
  const log = pino({ level: 'warn', base: null, timestamp: false }, { write: (line) => void lines.push(line) })
  const endpoint = await start(0, ['publickeyv1_AfQwmwfgEZhrWpvv8N52SHpRtZqGGaFr4AZN6qtYWSiY'], log)
  const session = connectHttp2(`http://127.0.0.1:${endpoint.port}`)
  onTestFinished(() => session.destroy())
  const ask = async () => {
    const request = session.request({ ':method': 'POST', ':path': `${endpoint.path}/invoke/Execution/deliver` })
    request.end()
    const [headers] = (await once(request, 'response')) as [{ readonly ':status': number }]
    return headers[':status']
  }
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([401, 401, 401])
  await vi.waitUntil(() => lines.length > 0)
  const msg = expect.stringContaining('Rejecting request as its JWT did not validate')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([{ level: 40, count: 3, msg }])
})
