import { expect, it } from 'vitest'
import { ApiError } from '../../src-runtime/contract/errors.ts'
import { createRequestMemory, type RequestMemory } from './request-memory.ts'

const MEBIBYTE = 1024 ** 2
const never = new AbortController().signal
const [busy, other, quiet] = [{ workspaceId: 'wsp_1' }, { workspaceId: 'wsp_2' }, { workspaceId: 'wsp_3' }]
const body = (mebibytes: number) => ({ bytes: mebibytes * MEBIBYTE, isRead: false })
const READ = { bytes: MEBIBYTE, isRead: true }

type Taken = (() => void) | ApiError

const given = (taken: Taken | Promise<Taken>): (() => void) => {
  if (typeof taken !== 'function') throw new Error('it waits, or was refused')
  return taken
}

const waiting = (taken: Taken | Promise<Taken>): Promise<Taken> => {
  if (!(taken instanceof Promise)) throw new Error('it does not wait')
  return taken
}

const takeAll = (memory: RequestMemory): readonly (() => void)[] => [
  memory.occupy(busy, 64 * MEBIBYTE),
  memory.occupy(other, 64 * MEBIBYTE),
]

it('lets a workspace that has its share wait, and nobody else', async () => {
  const memory = createRequestMemory()
  const gives = await Promise.all(Array.from({ length: 64 }, async () => memory.take(busy, body(1), never)))
  const more = waiting(memory.take(busy, body(1), never))
  const read = waiting(memory.take(busy, READ, never))
  given(memory.take(quiet, body(16), never))()
  given(gives[0]!)()
  given(gives[1]!)()
  expect(await more).toBeTypeOf('function')
  expect(await read).toBeTypeOf('function')
})

it('lets in the first of a workspace, and its reads, though others have taken everything', async () => {
  const memory = createRequestMemory()
  const gives = takeAll(memory)
  const first = given(memory.take(quiet, body(16), never))
  given(memory.take(quiet, READ, never))()
  const second = waiting(memory.take(quiet, body(1), never))
  first()
  for (const give of gives) give()
  expect(await second).toBeTypeOf('function')
})

it('refuses what has waited for too long, and tells when to try again', async () => {
  const memory = createRequestMemory({ waitMs: 20 })
  const gives = takeAll(memory)
  const refused = await memory.take(busy, body(1), never)
  expect(refused).toMatchObject({ status: 503, code: 'unavailable', headers: { 'retry-after': '1' } })
  for (const give of gives) give()
  given(memory.take(busy, body(1), never))()
})

it('forgets a request whose caller is gone', async () => {
  const memory = createRequestMemory()
  const give = given(memory.take(busy, body(64), never))
  const gone = new AbortController()
  const waits = memory.take(busy, body(1), gone.signal)
  gone.abort(new Error('gone'))
  expect(await waits).toBeInstanceOf(ApiError)
  give()
  given(memory.take(busy, body(64), never))()
})
