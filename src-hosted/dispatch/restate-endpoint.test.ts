import pino from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { PortTakenError } from '../../src-runtime/shared/runtime.ts'
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
