// The format in which the compiler gives effects to the effect host.

import type { EffectOptions } from '../engine/turn.ts'

/** What the compiler made of a project's *.effects.ts modules, and where it must run. */
export type EffectBundle = {
  /**
   * ESM source text; exports every effect by name; the project's own node_modules stay external (bare imports),
   * resolved from `folder`.
   */
  readonly code: string
  /** Its `sources` are relative to `folder`. */
  readonly sourceMap?: string
  /** The project folder: working directory, `.env`, node_modules. Absolute. */
  readonly folder: string
  /** From the manifest: names with their retry (ms) and timeoutMs. */
  readonly effects: readonly { readonly name: string; readonly options: EffectOptions }[]
}

/**
 * A version's code never changes; its folder does when the project moves. `undefined`: it has no effects to run here.
 */
export type LoadEffects = (versionId: string) => EffectBundle | undefined
