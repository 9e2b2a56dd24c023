// The TypeScript client against `wes serve`: with a token, and through a saved connection of `wes dev`, which adds it.

import { afterAll, beforeAll } from 'vitest'
import { clientSuite } from '#sdk/real-service.test-support.ts'
import { openSession } from '../open-session.test-support.ts'
import { startRuntimeProcess } from '../runtime-process.test-support.ts'
import { type ServeProcess, startServeProcess } from '../serve-process.test-support.ts'

/** Shared by both, with a workspace for each. */
let service: ServeProcess
beforeAll(async () => {
  service = await startServeProcess(['--log-level', 'fatal'])
})
afterAll(() => service.dispose())

const restart = async (): Promise<void> => {
  await service.kill()
  await service.start()
}

clientSuite('the hosted service', 'hosted', () =>
  Promise.resolve({ options: { url: service.url, token: service.token }, restart, stop: () => Promise.resolve() }),
)

clientSuite('the hosted service through a saved connection', 'hosted', async () => {
  const runtime = await startRuntimeProcess()
  const session = await openSession(runtime)
  const token = await service.tokenOf('through a connection')
  const connection = { name: 'Acme', address: service.url, colour: 'blue', isProduction: false, token, keep: 'run' }
  await session.call('POST', '/local/connections', connection)
  return {
    options: { url: `${runtime.url()}/hosted/acme`, fetch: session.fetch },
    restart,
    stop: runtime.dispose,
  }
})
