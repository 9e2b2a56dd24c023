import { setImmediate as nextRound } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ApiError } from '../../src-runtime/contract/errors.ts'
import { createRequestMemory } from './request-memory.ts'

const MEBIBYTE = 1024 ** 2
const never = new AbortController().signal
const [busy, other, quiet] = [{ workspaceId: 'wsp_1' }, { workspaceId: 'wsp_2' }, { workspaceId: 'wsp_3' }]
const body = (mebibytes: number) => ({ bytes: mebibytes * MEBIBYTE, isRead: false })
const READ = { bytes: MEBIBYTE, isRead: true }

type Taken = (() => void) | ApiError

const given = (taken: Taken): (() => void) => {
  if (taken instanceof ApiError) throw taken
  return taken
}

/** Whether it has been given by now; everything that was free has been given then. */
const isGiven = (taken: Promise<Taken>): Promise<boolean> =>
  Promise.race([
    taken.then((one) => typeof one === 'function'),
    new Promise<boolean>((resolve) => setImmediate(() => resolve(false))),
  ])

const takeAll = (memory: ReturnType<typeof createRequestMemory>): Promise<readonly Taken[]> =>
  Promise.all([busy, busy, busy, busy, other, other].map((who) => memory.take(who, body(16), never)))

it('lets a workspace that has its share wait, and nobody else', async () => {
  const memory = createRequestMemory()
  const gives = await Promise.all(Array.from({ length: 64 }, () => memory.take(busy, body(1), never)))
  const more = memory.take(busy, body(1), never)
  expect(await isGiven(more)).toBe(false)
  expect(await isGiven(memory.take(quiet, body(16), never))).toBe(true)
  given(gives[0]!)()
  expect(await isGiven(more)).toBe(true)
})

it('lets in a large body of a workspace whose small ones keep coming', async () => {
  const memory = createRequestMemory()
  const small = await Promise.all(Array.from({ length: 60 }, () => memory.take(busy, body(1), never)))
  const large = memory.take(busy, body(16), never)
  for (const give of small) {
    given(give)()
    void memory.take(busy, body(1), never)
  }
  expect(await isGiven(large)).toBe(true)
})

it('lets in the largest body of a workspace, or many smaller ones, though others have taken everything', async () => {
  const memory = createRequestMemory()
  await takeAll(memory)
  memory.occupy(quiet, 10 * MEBIBYTE)
  await memory.take(quiet, READ, never)
  const largest = await memory.take(quiet, body(16), never)
  const waiting = Array.from({ length: 17 }, () => memory.take(quiet, body(1), never))
  expect(await isGiven(waiting[0]!)).toBe(false)
  given(largest)()
  // None of the others has given anything back.
  expect(await Promise.all(waiting.map(isGiven))).toEqual(waiting.map((_, index) => index < 16))
})

it('lets reads wait only for the answers to their own workspace', async () => {
  const memory = createRequestMemory()
  await takeAll(memory)
  const answer = memory.occupy(busy, 64 * MEBIBYTE)
  memory.occupy(other, 200 * MEBIBYTE)
  expect(await isGiven(memory.take(quiet, READ, never))).toBe(true)
  const read = memory.take(busy, READ, never)
  expect(await isGiven(read)).toBe(false)
  answer()
  expect(await isGiven(read)).toBe(true)
})

it('refuses what has waited for too long, and tells when to try again', async () => {
  const memory = createRequestMemory({ waitMs: 20 })
  const gives = await takeAll(memory)
  const refused = await memory.take(busy, body(1), never)
  expect(refused).toMatchObject({ status: 503, code: 'unavailable', headers: { 'retry-after': '1' } })
  for (const give of gives) given(give)()
  expect(await isGiven(memory.take(busy, body(1), never))).toBe(true)
})

it('holds answers to requests with bodies of 32 MiB for each workspace, which wait for no other bodies', async () => {
  const memory = createRequestMemory()
  await takeAll(memory)
  const half = memory.hold(busy, 16 * MEBIBYTE)
  expect(half).toBeTypeOf('function')
  expect(memory.hold(busy, 16 * MEBIBYTE)).toBeTypeOf('function')
  expect(memory.hold(busy, 1)).toBeUndefined()
  expect(memory.hold(quiet, MEBIBYTE)).toBeTypeOf('function')
  half!()
  expect(memory.hold(busy, 16 * MEBIBYTE)).toBeTypeOf('function')
})

it('forgets a request whose caller is gone', async () => {
  const memory = createRequestMemory()
  const give = given(await memory.take(busy, body(64), never))
  const gone = new AbortController()
  const waits = memory.take(busy, body(1), gone.signal)
  gone.abort(new Error('gone'))
  expect(await waits).toBeInstanceOf(ApiError)
  give()
  expect(await isGiven(memory.take(busy, body(64), never))).toBe(true)
})

it('has large bodies worked on one by one between rounds of the event loop, and workspaces take turns', async () => {
  const memory = createRequestMemory()
  const worked: string[] = []
  const work = async (who: typeof busy): Promise<void> => {
    await memory.turn(who)
    worked.push(who.workspaceId)
  }
  const all = Promise.all([busy, busy, busy, quiet].map(work))
  const atRounds: number[] = []
  while (worked.length < 4) {
    await nextRound()
    atRounds.push(worked.length)
  }
  await all
  expect(atRounds.every((count, round) => count - (atRounds[round - 1] ?? 0) <= 1)).toBe(true)
  expect(worked).toEqual(['wsp_1', 'wsp_3', 'wsp_1', 'wsp_1'])
})
