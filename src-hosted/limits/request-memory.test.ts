import { expect, it } from 'vitest'
import { ApiError } from '../../src-runtime/contract/errors.ts'
import { createRequestMemory } from './request-memory.ts'

const MEBIBYTE = 1024 ** 2
const never = new AbortController().signal
const [busy, quiet] = [{ workspaceId: 'wsp_1' }, { workspaceId: 'wsp_2' }]

const given = (taken: (() => void) | ApiError): (() => void) => {
  if (taken instanceof ApiError) throw taken
  return taken
}

it('leaves memory for another workspace beside one that has its share', async () => {
  const memory = createRequestMemory()
  const gives = await Promise.all(Array.from({ length: 64 }, () => memory.take(busy, MEBIBYTE, never)))
  let hasMore = false
  const more = memory.take(busy, MEBIBYTE, never).then((taken) => {
    hasMore = true
    return taken
  })
  given(await memory.take(quiet, 16 * MEBIBYTE, never))()
  expect(hasMore).toBe(false)
  given(gives[0]!)()
  given(await more)()
  expect(hasMore).toBe(true)
})

it('refuses what has waited for too long, and tells when to try again', async () => {
  const memory = createRequestMemory(20)
  const answer = memory.occupy(busy, 100 * MEBIBYTE)
  const refused = await memory.take(quiet, 1, never)
  expect(refused).toMatchObject({ status: 503, code: 'unavailable', headers: { 'retry-after': '1' } })
  answer()
  given(await memory.take(quiet, 1, never))()
})

it('forgets a request whose caller is gone', async () => {
  const memory = createRequestMemory()
  const give = given(await memory.take(busy, 64 * MEBIBYTE, never))
  const gone = new AbortController()
  const waits = memory.take(busy, 1, gone.signal)
  gone.abort(new Error('gone'))
  expect(await waits).toBeInstanceOf(ApiError)
  give()
  given(await memory.take(busy, 64 * MEBIBYTE, never))()
})
