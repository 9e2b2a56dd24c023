// How much the effects of one version may ask of the network. Durations in ms.

export type EgressLimits = {
  /** Connections at once. */
  readonly connections: number
  /** Names that are resolved at once; further ones wait. */
  readonly lookups: number
  readonly lookupMs: number
  /** Until a connection is made, over all addresses of a name. */
  readonly connectMs: number
  /** A connection without data in either direction ends after this. */
  readonly idleMs: number
  /** The same, once the effect has ended its direction or has closed the connection. */
  readonly halfOpenMs: number
}

export const DEFAULT_EGRESS_LIMITS: EgressLimits = {
  connections: 128,
  lookups: 8,
  lookupMs: 10_000,
  connectMs: 20_000,
  idleMs: 15 * 60_000,
  halfOpenMs: 30_000,
}
