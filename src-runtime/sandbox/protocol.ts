// What the runtime tells a program host. Tuples: they are serialised for every activation. The runtime is trusted, so
// its messages are not checked again.

export type ProgramMessage = readonly [versionId: string, code: string, sourceMap: string]

/** Which kind of delivery: its number is what the guest is called with. */
export const DELIVERY_KINDS = {
  start: 0,
  event: 1,
  wait_timeout: 2,
  timer: 3,
  effect_result: 4,
  effect_failure: 5,
  cancel: 6,
} as const

/** The delivery of one turn; and, on replay, the text of the commands that are expected of it. */
export type TurnMessage = readonly [
  kind: number,
  at: number,
  /** 0: of no command. */
  command: number,
  data: string | null,
  expected: string | null,
]

export type ActivationMessage = readonly [
  sequence: number,
  executionId: string,
  programId: string,
  versionNumber: number,
  versionId: string,
  turnsDone: number,
  turns: readonly TurnMessage[],
  /** Whether the host says so before it runs this: should it never come back, its code is known to be the reason. */
  isAnnounced: boolean,
]

export type ToHost =
  | { readonly kind: 'run'; readonly programs: readonly ProgramMessage[]; readonly batch: readonly ActivationMessage[] }
  | { readonly kind: 'check'; readonly sequence: number; readonly code: string; readonly sourceMap: string }
  | { readonly kind: 'forget'; readonly executionIds: readonly string[] }
