import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { freePorts } from './free-ports.ts'

it('keeps the ports that are wanted and free, and chooses others for those that are taken', async () => {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const taken = (server.address() as AddressInfo).port
  const [free = 0] = await freePorts([0])
  const [kept, other] = await freePorts([free, taken])
  server.close()
  expect(kept).toBe(free)
  expect(other).not.toBe(taken)
})

it('chooses none that a connection may take before it is used', async () => {
  const ports = await freePorts(Array.from({ length: 50 }, () => 0))
  expect(new Set(ports).size).toBe(50)
  // Linux's connections begin at 32768, those of macOS and Windows at 49152.
  expect(ports.filter((port) => port < 20_000 || port >= 32_000)).toEqual([])
})
