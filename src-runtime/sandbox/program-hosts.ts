// The port behind which Program code runs. Nothing above it sees a guest value: only checked text crosses.

import type { Command, Delivery, TurnOutput } from '../engine/turn.ts'

/**
 * One visit to an Execution's image. Turns are delivered one at a time, in order: set the clock to `delivery.at`,
 * deliver, run all jobs, collect.
 */
export type Activation = {
  readonly executionId: string
  readonly programId: string
  readonly versionNumber: number
  /** Key of the compiled artifact. */
  readonly versionId: string
  /** How many turns the image must already have behind it; 0 asks for a fresh one. */
  readonly turnsDone: number
  readonly turns: readonly ActivationTurn[]
}

export type ActivationTurn = {
  readonly delivery: Delivery
  /**
   * Present on replay: the commands that the journal holds for this turn. They are compared (kind, command, name, data)
   * with what the Program asks for now; logs are dropped and nothing is returned for the turn.
   */
  readonly expected?: readonly Command[]
}

export type ActivationResult =
  /**
   * One output for each live turn; fewer when one of them ended the Execution (the last output is then `completed` or
   * `failed`, and the image is gone).
   */
  | { readonly kind: 'ran'; readonly turns: readonly TurnOutput[] }
  /** The image with `turnsDone` turns is not cached: replay from the first turn and ask again. */
  | { readonly kind: 'image_missing' }
  /** Replay met another command than the journal holds. `undefined`: nothing more was expected, or asked for. */
  | {
      readonly kind: 'diverged'
      /** Which turn of the Execution, from 0. */
      readonly turn: number
      readonly expected?: Command
      readonly found?: Command | { readonly kind: 'ended'; readonly message: string }
      /** Where in the author's source the other command was asked for, when known. */
      readonly stack?: string
    }

export type ProgramSource = {
  readonly code: string
  readonly sourceMap?: string
}

export type ProgramCheck = { readonly ok: true } | { readonly ok: false; readonly message: string }

export type ProgramHosts = {
  /**
   * Runs turns of one Execution. At most one activation of one Execution may be under way. Rejects only after `stop`.
   * `onAlone` is called once it is slow and waits for a host of its own, where it takes no turn from others.
   */
  activate(activation: Activation, onAlone?: () => void): Promise<ActivationResult>
  /** Whether code parses and evaluates, within a second, to an object with `run`. */
  check(source: ProgramSource): Promise<ProgramCheck>
  /** Drops whatever is cached for an Execution. */
  forget(executionId: string): void
  stop(): Promise<void>
}

export type ProgramHostStatus = {
  readonly role: 'shared' | 'alone'
  readonly pid: number
  readonly isReady: boolean
  /** Turns. */
  readonly underWay: number
}

/** Called once per artifact and host process. */
export type LoadProgram = (versionId: string) => ProgramSource
