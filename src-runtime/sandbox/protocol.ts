// Messages from the runtime to a Program host. They are tuples because every activation serialises them. Hosts trust
// the runtime and do not check them.

export type ProgramMessage = readonly [versionId: string, tenant: string, code: string, sourceMap: string]

/** The guest gets the number of a delivery's kind. */
export const DELIVERY_KINDS = {
  start: 0,
  event: 1,
  wait_timeout: 2,
  timer: 3,
  effect_result: 4,
  effect_failure: 5,
  cancel: 6,
} as const

/** The delivery of one turn and, on replay, the text of its expected commands. */
export type TurnMessage = readonly [
  kind: number,
  at: number,
  /** 0: no command. */
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
  /**
   * Whether the host announces this before it runs it, so that its code is known to be the cause if the host never
   * answers.
   */
  isAnnounced: boolean,
  /** Empty where there are no tenants. */
  tenant: string,
]

export type ToHost =
  | {
      readonly kind: 'run'
      readonly programs: readonly ProgramMessage[]
      readonly batch: readonly ActivationMessage[]
      /** How many messages with small results the runtime had received. */
      readonly heard: number
    }
  | { readonly kind: 'check'; readonly sequence: number; readonly code: string; readonly sourceMap: string }
  | { readonly kind: 'forget'; readonly executionIds: readonly string[] }

/** A payload with more goes in pieces: see pieces.ts. */
export const LARGE_CHARS = 16 * 1024
