import { describe, expect, it } from 'vitest'
import type { KnownToken } from '../store/tenancy.ts'
import { createKnownCallers } from './known-callers.ts'
import { secretDigest } from './token-text.ts'

const DIGEST = secretDigest('wes_a')
const KNOWN: KnownToken = { workspaceId: 'wsp_1', defaultProjectId: 'prj_1', tokenId: 'tok_1', role: 'read' }

/** A database whose answers the test gives, and clocks that it moves. */
const withDatabase = () => {
  let at = 1_000_000
  let monotonic = 5_000
  const asked: { readonly answer: (known?: KnownToken) => void; readonly fail: (error: Error) => void }[] = []
  const ask = () => new Promise<KnownToken | undefined>((answer, fail) => asked.push({ answer, fail }))
  const callers = createKnownCallers(
    { findToken: ask, findSession: ask },
    { now: () => at, monotonic: () => monotonic },
  )
  const find = () => callers.find('token', DIGEST)
  /** The same, for a request that waits. */
  const findLater = async () => find()
  const pass = (ms: number): void => {
    at += ms
    monotonic += ms
  }
  return { asked, callers, find, findLater, pass, setDatabase: (ms: number) => void (at = ms) }
}

describe('who sends a request', () => {
  it('is asked once for many requests at once, and then not for a moment', async () => {
    const { asked, find, findLater, pass } = withDatabase()
    const all = [findLater(), findLater(), findLater()]
    expect(asked).toHaveLength(1)
    asked[0]!.answer(KNOWN)
    expect(await Promise.all(all)).toEqual([KNOWN, KNOWN, KNOWN])
    pass(1_400)
    expect(find()).toBe(KNOWN)
    expect(asked).toHaveLength(1)
  })

  it('is asked again behind the requests that use what is known', async () => {
    const { asked, find, pass } = withDatabase()
    const first = find()
    asked[0]!.answer(KNOWN)
    await first
    pass(2_000)
    expect([find(), find()]).toEqual([KNOWN, KNOWN])
    expect(asked).toHaveLength(2)
    asked[1]!.answer(undefined)
    await expect.poll(() => find()).toBeUndefined()
  })

  it('is not taken from memory after 3 s, so a token that was revoked elsewhere counts for less than 5 s', async () => {
    const { asked, find, pass } = withDatabase()
    const first = find()
    asked[0]!.answer(KNOWN)
    await first
    pass(2_900)
    // Asked now, and the answer never comes.
    expect(find()).toBe(KNOWN)
    pass(200)
    const waiting = find()
    expect(waiting).toBeInstanceOf(Promise)
    asked.at(-1)!.answer(undefined)
    expect(await waiting).toBeUndefined()
  })

  it('is nobody from the moment on when the token expires', async () => {
    const { asked, find, pass } = withDatabase()
    const first = find()
    asked[0]!.answer({ ...KNOWN, expiresAt: 1_000_500 })
    expect(await first).toMatchObject({ tokenId: 'tok_1' })
    pass(499)
    expect(find()).toMatchObject({ tokenId: 'tok_1' })
    pass(1)
    expect(find()).toBeUndefined()
  })

  it('is asked anew as soon where the database’s clock goes back', async () => {
    const { asked, find, pass, setDatabase } = withDatabase()
    const first = find()
    asked[0]!.answer(KNOWN)
    await first
    setDatabase(400_000)
    pass(3_000)
    const second = find()
    expect(asked).toHaveLength(2)
    asked[1]!.answer(undefined)
    expect(await second).toBeUndefined()
  })

  it('is asked anew when the token was revoked here', async () => {
    const { asked, callers, find } = withDatabase()
    const first = find()
    asked[0]!.answer(KNOWN)
    await first
    callers.forget({ tokenId: 'tok_1' })
    expect(find()).toBeInstanceOf(Promise)
    expect(asked).toHaveLength(2)
  })

  it('is asked anew when the token was revoked here, also where the answer from before comes later', async () => {
    const { asked, callers, find, pass } = withDatabase()
    const first = find()
    callers.forget({ tokenId: 'tok_1' })
    asked[0]!.answer(KNOWN)
    await first
    const second = find()
    expect(asked).toHaveLength(2)
    asked[1]!.answer(KNOWN)
    await second
    pass(2_000)
    expect(find()).toBe(KNOWN)
    callers.forget({ tokenId: 'tok_1' })
    asked[2]!.answer(KNOWN)
    await new Promise(setImmediate)
    expect(find()).toBeInstanceOf(Promise)
    expect(asked).toHaveLength(4)
  })

  it('is as old as the question, not as the answer', async () => {
    const { asked, find, pass } = withDatabase()
    const first = find()
    pass(2_900)
    asked[0]!.answer(KNOWN)
    await first
    pass(100)
    expect(find()).toBeInstanceOf(Promise)
    expect(asked).toHaveLength(2)
  })

  it('is not what an answer says that comes when the process has stood still', async () => {
    const { asked, find, findLater, pass } = withDatabase()
    const before = findLater()
    pass(60_000)
    const after = find()
    expect(asked).toHaveLength(2)
    asked[0]!.answer(KNOWN)
    asked[1]!.answer(undefined)
    expect(await before).toBe(KNOWN)
    expect(await after).toBeUndefined()
    expect(find()).toBeUndefined()
  })

  it('is asked again behind the next request where the database could not say it', async () => {
    const { asked, find, pass } = withDatabase()
    const first = find()
    asked[0]!.answer(KNOWN)
    await first
    pass(2_000)
    expect(find()).toBe(KNOWN)
    asked[1]!.fail(new Error('away'))
    await new Promise(setImmediate)
    expect(find()).toBe(KNOWN)
    expect(asked).toHaveLength(3)
  })

  it('is asked anew after the database could not say it', async () => {
    const { asked, find } = withDatabase()
    const first = find()
    asked[0]!.fail(new Error('away'))
    await expect(first).rejects.toThrow('away')
    const second = find()
    asked[1]!.answer(KNOWN)
    expect(await second).toBe(KNOWN)
  })

  it('is known by a token or by a session, and not by one for the other', async () => {
    const { asked, callers, find } = withDatabase()
    const token = find()
    const session = callers.find('session', DIGEST)
    expect(asked).toHaveLength(2)
    asked[0]!.answer(KNOWN)
    asked[1]!.answer(undefined)
    expect([await token, await session]).toEqual([KNOWN, undefined])
  })
})
