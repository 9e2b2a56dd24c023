// The port through which the hosted service runs effects. Namespaces on the worker's machine are one way; a gVisor container
// or a microVM for each project is another, behind the same port.

import type { EffectBundle } from '../../src-runtime/effects/effect-bundle.ts'
import type { EffectPerformer } from '../../src-runtime/effects/effect-performer.ts'

export type EffectRunner = Pick<EffectPerformer, 'perform'> & {
  /** Why effects wait here; undefined: they run. */
  readonly waitsBecause: string | undefined
  /**
   * Begins no more attempts, lets those under way end for some seconds, aborts the others and ends all processes. An
   * attempt that did not complete has no outcome: another worker performs it again, with the same number.
   */
  drain(): Promise<void>
}

/** One version's effects, and whose they are. */
export type VersionEffects = Pick<EffectBundle, 'code' | 'sourceMap'> & {
  /** From the manifest. `undefined`: it does not list them, so each exported function is one. */
  readonly effects: EffectBundle['effects'] | undefined
  readonly workspaceId: string
  readonly projectId: string
  /** In messages, for example `order-approval version 3`. */
  readonly name: string
}

/** `undefined`: the version has no effects. */
export type LoadVersion = (versionId: string) => Promise<VersionEffects | undefined>

export type EnvironmentOf = (project: {
  readonly workspaceId: string
  readonly projectId: string
}) => Promise<Readonly<Record<string, string>>>
