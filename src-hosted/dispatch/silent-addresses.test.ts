import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { watchSilence } from './silent-addresses.ts'

const FOR_MS = 10_000
const SILENT = { id: 'dp_silent', uri: 'http://127.0.0.1:9/v2', createdAt: 0 }

let now = 0
let findSilent: ReturnType<typeof watchSilence>
beforeEach(() => {
  now = 0
  findSilent = watchSilence(FOR_MS, () => now)
})

const silentAt = async (at: number, ...deployments: readonly (typeof SILENT)[]): Promise<readonly string[]> => {
  now = at
  return [...(await findSilent(deployments))]
}

it('finds an address that was silent for so long, at each call until it is not given any more', async () => {
  for (const at of [1_000, 4_000, 8_000, 10_999]) expect(await silentAt(at, SILENT)).toEqual([])
  expect(await silentAt(11_000, SILENT)).toEqual(['dp_silent'])
  expect(await silentAt(13_000, SILENT)).toEqual(['dp_silent'])
  expect(await silentAt(13_100)).toEqual([])
  expect(await silentAt(13_200, SILENT)).toEqual([])
})

it('counts anew after an answer', async () => {
  const server = createServer((_request, response) => response.end())
  onTestFinished(() => void server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const answering = { ...SILENT, uri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2` }
  for (const at of [1_000, 5_000, 9_000]) expect(await silentAt(at, SILENT)).toEqual([])
  expect(await silentAt(9_500, answering)).toEqual([])
  for (const at of [11_000, 16_000, 20_999]) expect(await silentAt(at, SILENT)).toEqual([])
  expect(await silentAt(21_000, SILENT)).toEqual(['dp_silent'])
})

it('asks again after a pause in which nobody asked', async () => {
  expect(await silentAt(1_000, SILENT)).toEqual([])
  expect(await silentAt(20_000, SILENT)).toEqual([])
  expect(await silentAt(22_000, SILENT)).toEqual(['dp_silent'])
})

it('does not believe in a silence during which this process stood still', async () => {
  for (const at of [1_000, 6_000]) expect(await silentAt(at, SILENT)).toEqual([])
  now = 10_000
  const asked = findSilent([SILENT])
  now = 14_500
  expect([...(await asked)]).toEqual([])
  expect(await silentAt(15_000, SILENT)).toEqual([])
})
