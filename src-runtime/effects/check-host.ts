// Decides what to do about a host that is silent, or whose attempts or loads are overdue. Pure.

import type { EffectHostLimits } from './effect-host-limits.ts'

/** What blocks a host, as it reported: an attempt, a load, or `stray` code that belongs to neither. */
export type Culprit =
  | { readonly kind: 'attempt'; readonly id: number; readonly stack: string }
  | { readonly kind: 'load'; readonly bundle: string; readonly stack: string }
  | { readonly kind: 'stray'; readonly stack: string }
  /** The host did not report it. */
  | { readonly kind: 'unknown'; readonly stack: '' }

export type HostSnapshot = {
  /** In ms on a monotonic clock, like every time here. */
  readonly heardAt: number
  /** It has work and has sent its first message; a start has no time limit here. */
  readonly shouldSpeak: boolean
  readonly blocked: { readonly since: number; readonly culprit?: Culprit } | undefined
  readonly attempts: readonly AttemptSnapshot[]
  readonly loads: readonly { readonly bundle: string; readonly sentAt: number; readonly heard: boolean }[]
  /** Attempts that wait for a load. */
  readonly waiting: number
  /** Since when something that was sent has not arrived in the host, and how often the host has shown since then that it runs. */
  readonly unheard: { readonly since: number; readonly beats: number } | undefined
}

export type AttemptSnapshot = {
  readonly id: number
  readonly sentAt: number
  readonly timeoutMs: number
  /** An Execution still waits for it. */
  readonly wanted: boolean
  /** It has arrived in the host. */
  readonly heard: boolean
}

export type Verdict =
  | { readonly kind: 'fine' }
  /** Give the host no more work. */
  | { readonly kind: 'blocked' }
  /** What is sent to the host does not arrive any more. `isSilent`: nothing of what it has to do has arrived. */
  | { readonly kind: 'deaf'; readonly isSilent: boolean }
  /** These attempts have timed out; the host continues. */
  | { readonly kind: 'overdue'; readonly ids: readonly number[] }
  /** The host's event loop runs, but the bundle's load does not end. */
  | { readonly kind: 'load_overdue'; readonly bundle: string }
  | { readonly kind: 'kill'; readonly culprit: Culprit; readonly why: 'time_up' | 'others_wait' | 'stray' }

/** The time that the host needs to report a timeout itself. */
const SLACK_MS = 500

/** A host reads what has arrived between two beats. */
const BEATS_TO_HEAR = 4

export const checkHost = (host: HostSnapshot, now: number, limits: EffectHostLimits): Verdict => {
  const { blocked } = host
  const deaf = checkHearing(host, now, limits)
  if (deaf !== undefined) return deaf
  if (blocked === undefined) {
    if (host.shouldSpeak && now - host.heardAt > limits.blockedAfterMs) return { kind: 'blocked' }
  } else {
    const killed = checkBlocked(host, blocked, now, limits)
    if (killed !== undefined) return killed
  }
  const ids = overdueAttempts(host, now, limits)
  if (ids.length > 0) return { kind: 'overdue', ids }
  const load = blocked === undefined ? overdueLoad(host, now, limits) : undefined
  return load === undefined ? { kind: 'fine' } : { kind: 'load_overdue', bundle: load }
}

/** Other attempts that have arrived go on. One that is silent may only be slow, so it has twice the time. */
const checkHearing = (
  { unheard, blocked, attempts, loads, shouldSpeak }: HostSnapshot,
  now: number,
  { blockedAfterMs }: EffectHostLimits,
): Verdict | undefined => {
  if (unheard === undefined || !shouldSpeak || blocked?.culprit !== undefined) return undefined
  const unheardMs = now - unheard.since
  if (unheardMs > blockedAfterMs && unheard.beats >= BEATS_TO_HEAR) return { kind: 'deaf', isSilent: false }
  const hearsNothing = [...attempts, ...loads].every(({ heard }) => !heard)
  return unheardMs > 2 * blockedAfterMs && hearsNothing ? { kind: 'deaf', isSilent: true } : undefined
}

const checkBlocked = (
  host: HostSnapshot,
  blocked: NonNullable<HostSnapshot['blocked']>,
  now: number,
  limits: EffectHostLimits,
): Verdict | undefined => {
  const overdue = overdueAttempts(host, now, limits)
  const load = overdueLoad(host, now, limits)
  const { since, culprit = likelyCulprit(host, now, limits) } = blocked
  const longAmongOthers = now - since > limits.blockedAmongOthersMs
  if (culprit === undefined) {
    // Any of them may block the host; the first one that is overdue is treated as the cause.
    if (overdue[0] !== undefined) return kill({ kind: 'attempt', id: overdue[0], stack: '' }, 'time_up')
    if (load !== undefined) return kill({ kind: 'load', bundle: load, stack: '' }, 'time_up')
    // Each of them then runs alone, and the one that blocks reaches its own timeout.
    return longAmongOthers ? kill({ kind: 'unknown', stack: '' }, 'others_wait') : undefined
  }
  switch (culprit.kind) {
    case 'attempt': {
      const wanted = host.attempts.filter((attempt) => attempt.wanted)
      if (!wanted.some(({ id }) => id === culprit.id)) return kill(culprit, 'stray')
      if (overdue.includes(culprit.id)) return kill(culprit, 'time_up')
      return longAmongOthers && wanted.length + host.waiting > 1 ? kill(culprit, 'others_wait') : undefined
    }
    case 'load': {
      if (load === culprit.bundle) return kill(culprit, 'time_up')
      const othersWait = host.loads.length > 1 || host.attempts.some(({ wanted }) => wanted)
      return longAmongOthers && othersWait ? kill(culprit, 'others_wait') : undefined
    }
    case 'stray':
    case 'unknown':
      return longAmongOthers ? kill(culprit, 'stray') : undefined
  }
}

const kill = (culprit: Culprit, why: Extract<Verdict, { kind: 'kill' }>['why']): Verdict => ({
  kind: 'kill',
  culprit,
  why,
})

/** An attempt that goes on although its time is up, or the only attempt or load in the host. */
const likelyCulprit = (
  { attempts, loads }: HostSnapshot,
  now: number,
  limits: EffectHostLimits,
): Culprit | undefined => {
  const late = attempts.find((one) => !one.wanted && isOverdue(one, now, limits))
  const [attempt] = attempts
  if (late !== undefined) return { kind: 'attempt', id: late.id, stack: '' }
  const [load] = loads
  if (attempts.length + loads.length !== 1) return undefined
  if (attempt !== undefined) return { kind: 'attempt', id: attempt.id, stack: '' }
  return load && { kind: 'load', bundle: load.bundle, stack: '' }
}

const overdueAttempts = ({ attempts }: HostSnapshot, now: number, limits: EffectHostLimits): readonly number[] =>
  attempts.filter((one) => one.wanted && isOverdue(one, now, limits)).map(({ id }) => id)

/** What has not arrived has not begun. */
const isOverdue = ({ sentAt, timeoutMs, heard }: AttemptSnapshot, now: number, limits: EffectHostLimits): boolean =>
  heard && now - sentAt > timeoutMs + limits.graceMs + SLACK_MS

const overdueLoad = ({ loads }: HostSnapshot, now: number, limits: EffectHostLimits): string | undefined =>
  loads.find(({ sentAt, heard }) => heard && now - sentAt > limits.loadMs)?.bundle
