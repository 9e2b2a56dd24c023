import { once } from 'node:events'
import { connect } from 'node:net'
import pino from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { PortTakenError } from '../../src-runtime/shared/runtime.ts'
import { within } from '../../src-runtime/shared/within.ts'
import { startRestateEndpoint } from './restate-endpoint.ts'

const start = async (port: number) => {
  const endpoint = await startRestateEndpoint({
    host: '127.0.0.1',
    port,
    work: {
      visit: () => Promise.resolve({ attempts: [] }),
      perform: () => Promise.resolve({ kind: 'nothing' }),
      fire: () => Promise.resolve({}),
    },
    identityKeys: [],
    log: pino({ level: 'silent' }),
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
