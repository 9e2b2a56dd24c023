import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { newLink } from './new-link.ts'

it('does not wait for ever for a runtime that does not answer', async () => {
  const server = createServer(() => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  expect(await newLink({ port, instanceId: 'a', secret: 'b' }, { withinMs: 50 })).toEqual({ kind: 'no_answer' })
})
