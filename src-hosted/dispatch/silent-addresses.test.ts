import { once } from 'node:events'
import { createServer, type ServerHttp2Session } from 'node:http2'
import { beforeEach, expect, it, vi } from 'vitest'
import { listening } from './listening.test-support.ts'
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
  const answering = { ...SILENT, uri: `${await listening(server)}/v2` }
  for (const at of [1_000, 5_000, 9_000]) expect(await silentAt(at, SILENT)).toEqual([])
  expect(await silentAt(9_500, answering)).toEqual([])
  for (const at of [11_000, 16_000, 20_999]) expect(await silentAt(at, SILENT)).toEqual([])
  expect(await silentAt(21_000, SILENT)).toEqual(['dp_silent'])
})

it('counts anew after a late answer', async () => {
  const answers: (() => void)[] = []
  const server = createServer((_request, response) => void answers.push(() => response.end()))
  const sessions: ServerHttp2Session[] = []
  server.on('session', (session) => sessions.push(session))
  const busy = { ...SILENT, uri: `${await listening(server)}/v2` }
  findSilent = watchSilence(FOR_MS, () => now, { connectMs: 60_000, answerMs: 200, lateMs: 60_000 })
  for (const at of [1_000, 6_000]) expect(await silentAt(at, busy)).toEqual([])
  await vi.waitFor(() => expect(answers).not.toEqual([]))
  answers[0]?.()
  await once(sessions[0]!, 'close')
  expect(await silentAt(11_000, busy)).toEqual([])
  for (const at of [12_000, 17_000]) expect(await silentAt(at, busy)).toEqual([])
  expect(await silentAt(22_000, busy)).toEqual(['dp_silent'])
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

it('believes in a silence that took as long as it may', async () => {
  for (const at of [1_000, 6_000]) expect(await silentAt(at, SILENT)).toEqual([])
  now = 10_000
  const asked = findSilent([SILENT])
  now = 13_500
  expect([...(await asked)]).toEqual(['dp_silent'])
})
