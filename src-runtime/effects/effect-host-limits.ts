// How much an effect host may use and how long it may take. Durations in ms.

import { totalmem } from 'node:os'

export type EffectHostLimits = {
  /** Attempts under way at once in one host; the rest wait. One Program gets half of it, one Execution a third. */
  readonly concurrency: number
  /**
   * Hosts of one folder for attempts of effects that blocked a host, one at a time, and for those that may have crashed one: as many together
   * as have ended without harm.
   */
  readonly soloHosts: number
  /** The JavaScript heap of a host, unless its `NODE_OPTIONS` say otherwise. */
  readonly heapMb: number
  /** All memory of a host, as the operating system counts it: buffers and native modules too. */
  readonly memoryMb: number
  /** A host without work is stopped after this. */
  readonly idleMs: number
  /** A host that sends nothing for this long is blocked: it gets no more work until it answers. */
  readonly blockedAfterMs: number
  /**
   * A host that is blocked for this long is killed if other attempts wait in it. A single attempt has its own timeout.
   */
  readonly blockedAmongOthersMs: number
  /** How long an attempt may take to end by itself after its timeout. */
  readonly graceMs: number
  /** How long an attempt that nobody awaits any more keeps its place, so that it can clean up. */
  readonly cancelGraceMs: number
  /** Evaluating a bundle, its dependencies included. */
  readonly loadMs: number
  /** How long a host may take to stop by itself. */
  readonly stopMs: number
  /** What one of the first 100 attempts may log. `logLimits` says what later ones may. */
  readonly logEntries: number
  readonly logBytes: number
  /** A module cannot be unloaded, and editing a project makes many versions; after this many, a new host takes over. */
  readonly bundlesPerHost: number
}

export const DEFAULT_EFFECT_HOST_LIMITS: EffectHostLimits = {
  concurrency: 200,
  soloHosts: 4,
  heapMb: 1_024,
  memoryMb: Math.max(2_048, Math.round(totalmem() / 2 / 1_000_000)),
  idleMs: 60_000,
  blockedAfterMs: 2_000,
  blockedAmongOthersMs: 10_000,
  graceMs: 500,
  cancelGraceMs: 5_000,
  loadMs: 30_000,
  stopMs: 1_000,
  logEntries: 1_000,
  logBytes: 256 * 1_024,
  bundlesPerHost: 64,
}

/** An effect may have a million attempts. The engine keeps less of the errors of those behind the same number. */
const LAST_WHOLE_ATTEMPT = 100
const OF_LATER_ATTEMPTS = { logEntries: 10, logBytes: 1_024 }

/** What an attempt may log, by its number. */
export const logLimits = (
  limits: Pick<EffectHostLimits, 'logEntries' | 'logBytes'>,
  attempt: number,
): Pick<EffectHostLimits, 'logEntries' | 'logBytes'> => (attempt <= LAST_WHOLE_ATTEMPT ? limits : OF_LATER_ATTEMPTS)

/** Size of a result's JSON text. */
export const RESULT_LIMIT_BYTES = 1_024 * 1_024
