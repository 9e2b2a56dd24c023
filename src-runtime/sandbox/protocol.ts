// What the runtime tells a program host. Tuples: they are serialised for every activation. The runtime is trusted, so
// its messages are not checked again.

import type { Delivery } from '../engine/turn.ts'

export type ProgramMessage = readonly [versionId: string, code: string, sourceMap: string]

/** The delivery of one turn; and, on replay, the text of the commands that are expected of it. */
export type TurnMessage = readonly [delivery: Delivery, expected: string | null]

export type ActivationMessage = readonly [
  sequence: number,
  executionId: string,
  programId: string,
  versionNumber: number,
  versionId: string,
  turnsDone: number,
  turns: readonly TurnMessage[],
]

export type ToHost =
  | { readonly kind: 'run'; readonly programs: readonly ProgramMessage[]; readonly batch: readonly ActivationMessage[] }
  | { readonly kind: 'check'; readonly sequence: number; readonly code: string; readonly sourceMap: string }
  | { readonly kind: 'forget'; readonly executionIds: readonly string[] }
