import { describe, expect, it } from 'vitest'
import { DEFAULT_EFFECT_HOST_LIMITS } from './effect-host-limits.ts'
import { checkHost, type AttemptSnapshot, type Culprit, type HostSnapshot } from './check-host.ts'

const limits = { ...DEFAULT_EFFECT_HOST_LIMITS, blockedAfterMs: 2_000, blockedAmongOthersMs: 10_000, graceMs: 500 }

const attempt = (id: number, more: Partial<AttemptSnapshot> = {}): AttemptSnapshot => ({
  id,
  sentAt: 0,
  timeoutMs: 60_000,
  wanted: true,
  heard: true,
  ...more,
})

const check = (now: number, host: Partial<HostSnapshot>) =>
  checkHost(
    {
      heardAt: 0,
      shouldSpeak: true,
      blocked: undefined,
      attempts: [],
      loads: [],
      waiting: 0,
      unheard: undefined,
      ...host,
    },
    now,
    limits,
  )

const blockedBy = (culprit?: Culprit) => ({ since: 0, ...(culprit && { culprit }) })
const known: Culprit = { kind: 'attempt', id: 1, stack: 'at spin' }

describe('a host that answers', () => {
  it('is healthy until it is silent for too long', () => {
    expect(check(2_000, { attempts: [attempt(1)] })).toEqual({ kind: 'fine' })
    expect(check(2_001, { attempts: [attempt(1)] })).toEqual({ kind: 'blocked' })
    expect(check(2_001, { shouldSpeak: false })).toEqual({ kind: 'fine' })
  })

  it('must give up attempts that it should have ended, unless they are no longer wanted', () => {
    const attempts = [attempt(1, { timeoutMs: 100 }), attempt(2), attempt(3, { timeoutMs: 100, wanted: false })]
    expect(check(1_100, { heardAt: 1_000, attempts })).toEqual({ kind: 'fine' })
    expect(check(1_101, { heardAt: 1_000, attempts })).toEqual({ kind: 'overdue', ids: [1] })
  })

  it('must give up loads that do not end', () => {
    const loads = [{ bundle: 'b', sentAt: 0, heard: true }]
    expect(check(30_000, { heardAt: 30_000, loads })).toEqual({ kind: 'fine' })
    expect(check(30_001, { heardAt: 30_000, loads })).toEqual({ kind: 'load_overdue', bundle: 'b' })
  })
})

describe('a host in which nothing arrives', () => {
  const unheard = attempt(2, { heard: false, timeoutMs: 100 })

  it('is deaf once it has shown for a while that it runs', () => {
    const host = { heardAt: 3_000, attempts: [attempt(1), unheard] }
    expect(check(2_000, { ...host, unheard: { since: 0, beats: 8 } })).toEqual({ kind: 'fine' })
    expect(check(3_001, { ...host, unheard: { since: 1_000, beats: 3 } })).toEqual({ kind: 'fine' })
    expect(check(3_001, { ...host, unheard: { since: 1_000, beats: 4 } })).toEqual({ kind: 'deaf', isSilent: false })
  })

  it('is deaf when it is silent for twice as long, unless something else in it may block it', () => {
    const host = { blocked: blockedBy(), unheard: { since: 0, beats: 0 } }
    expect(check(4_000, { ...host, attempts: [unheard] })).toEqual({ kind: 'fine' })
    expect(check(4_001, { ...host, attempts: [unheard] })).toEqual({ kind: 'deaf', isSilent: true })
    const loads = [{ bundle: 'b', sentAt: 0, heard: false }]
    expect(check(4_001, { ...host, loads, waiting: 1 })).toEqual({ kind: 'deaf', isSilent: true })
    expect(check(4_001, { ...host, attempts: [attempt(1), unheard] })).toEqual({ kind: 'fine' })
    expect(check(4_001, { ...host, shouldSpeak: false })).toEqual({ kind: 'fine' })
    expect(check(4_001, { ...host, blocked: blockedBy(known), attempts: [unheard] })).not.toMatchObject({
      kind: 'deaf',
    })
  })
})

describe('a host that is blocked', () => {
  it('by its only attempt is killed at the timeout of that attempt', () => {
    const host = { blocked: blockedBy(), attempts: [attempt(1)] }
    expect(check(61_000, host)).toEqual({ kind: 'fine' })
    expect(check(61_001, host)).toMatchObject({ kind: 'kill', why: 'time_up', culprit: { kind: 'attempt', id: 1 } })
  })

  it('by one of several attempts is killed when others have waited for long, or at its timeout', () => {
    const attempts = [attempt(1), attempt(2)]
    expect(check(10_000, { blocked: blockedBy(known), attempts })).toEqual({ kind: 'fine' })
    expect(check(10_001, { blocked: blockedBy(known), attempts })).toEqual({
      kind: 'kill',
      why: 'others_wait',
      culprit: known,
    })
    expect(check(10_001, { blocked: blockedBy(known), attempts: [attempt(1)], waiting: 1 })).toMatchObject({
      kind: 'kill',
    })
    expect(check(10_001, { blocked: blockedBy(known), attempts: [attempt(1)] })).toEqual({ kind: 'fine' })
    expect(check(10_001, { blocked: blockedBy(known), attempts: [attempt(1), attempt(2, { wanted: false })] })).toEqual(
      {
        kind: 'fine',
      },
    )
    const short = [attempt(1, { timeoutMs: 3_000 }), attempt(2)]
    expect(check(4_001, { blocked: blockedBy(known), attempts: short })).toMatchObject({ kind: 'kill', why: 'time_up' })
  })

  it('does not fail attempts that time out while another blocks it', () => {
    const attempts = [attempt(1), attempt(2, { timeoutMs: 100 })]
    expect(check(3_000, { blocked: blockedBy(known), attempts })).toEqual({ kind: 'overdue', ids: [2] })
  })

  it('by an unknown attempt is killed at the first timeout', () => {
    const attempts = [attempt(1), attempt(2, { timeoutMs: 5_000 })]
    expect(check(6_000, { blocked: blockedBy(), attempts })).toEqual({ kind: 'fine' })
    expect(check(6_001, { blocked: blockedBy(), attempts })).toMatchObject({ kind: 'kill', culprit: { id: 2 } })
    const loads = [{ bundle: 'b', sentAt: 0, heard: true }]
    expect(check(30_001, { blocked: blockedBy(), attempts: [attempt(1)], loads })).toMatchObject({
      kind: 'kill',
      culprit: { kind: 'load', bundle: 'b' },
    })
  })

  it('by one of several, without a report, is killed after a while, so that each runs alone', () => {
    const attempts = [attempt(1), attempt(2)]
    expect(check(10_000, { blocked: blockedBy(), attempts })).toEqual({ kind: 'fine' })
    const culprit: Culprit = { kind: 'unknown', stack: '' }
    expect(check(10_001, { blocked: blockedBy(), attempts })).toEqual({ kind: 'kill', why: 'others_wait', culprit })
  })

  it('without a report is killed at once when an attempt goes on after its time', () => {
    const attempts = [attempt(1), attempt(2, { wanted: false, timeoutMs: 100 })]
    expect(check(2_500, { blocked: blockedBy(), attempts })).toMatchObject({ kind: 'kill', culprit: { id: 2 } })
  })

  it('by an attempt that is no longer wanted is killed at once', () => {
    const attempts = [attempt(1, { wanted: false }), attempt(2)]
    expect(check(2_500, { blocked: blockedBy(known), attempts })).toMatchObject({ kind: 'kill', why: 'stray' })
    expect(check(2_500, { blocked: blockedBy(known), attempts: [attempt(2)] })).toMatchObject({ kind: 'kill' })
  })

  it('by a load is killed sooner if others wait, and not if all wait for that load', () => {
    const culprit: Culprit = { kind: 'load', bundle: 'b', stack: 'at top' }
    const loads = [{ bundle: 'b', sentAt: 0, heard: true }]
    const blocked = blockedBy(culprit)
    expect(check(10_001, { blocked, loads, waiting: 2 })).toEqual({ kind: 'fine' })
    const expected = { kind: 'kill', why: 'others_wait', culprit }
    expect(check(10_001, { blocked, loads, attempts: [attempt(1)] })).toEqual(expected)
    expect(check(10_000, { blocked, loads, attempts: [attempt(1)] })).toEqual({ kind: 'fine' })
    expect(check(10_001, { blocked, loads: [...loads, { bundle: 'c', sentAt: 5, heard: true }] })).toEqual(expected)
  })

  it('by a load is killed at the timeout of that load', () => {
    const culprit: Culprit = { kind: 'load', bundle: 'b', stack: 'at top' }
    const loads = [{ bundle: 'b', sentAt: 0, heard: true }]
    expect(check(30_000, { blocked: blockedBy(culprit), loads, waiting: 2 })).toEqual({ kind: 'fine' })
    expect(check(30_001, { blocked: blockedBy(culprit), loads, waiting: 2 })).toEqual({
      kind: 'kill',
      why: 'time_up',
      culprit,
    })
    expect(check(30_001, { blocked: blockedBy(), loads, waiting: 2 })).toMatchObject({
      kind: 'kill',
      culprit: { bundle: 'b' },
    })
  })

  it('by code outside any attempt is killed after a while', () => {
    const culprit: Culprit = { kind: 'stray', stack: 'at timer' }
    expect(check(10_000, { shouldSpeak: false, blocked: blockedBy(culprit) })).toEqual({ kind: 'fine' })
    expect(check(10_001, { shouldSpeak: false, blocked: blockedBy(culprit) })).toEqual({
      kind: 'kill',
      why: 'stray',
      culprit,
    })
  })
})
