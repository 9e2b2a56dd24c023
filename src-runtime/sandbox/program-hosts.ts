// The port to Program code. Only checked text crosses it, never a guest value.

import type { Command, Delivery, TurnOutput } from '../engine/turn.ts'

/**
 * Turns of one Execution. They run one at a time, in order: set the clock to `delivery.at`, deliver, run all jobs,
 * collect the output.
 */
export type Activation = {
  readonly executionId: string
  readonly programId: string
  /** Whose Program it is, where several tenants share the hosts. */
  readonly tenant?: string
  readonly versionNumber: number
  /** Key of the compiled artifact. */
  readonly versionId: string
  /** How many turns the image must have run; 0 asks for a fresh image. */
  readonly turnsDone: number
  readonly turns: readonly ActivationTurn[]
}

export type ActivationTurn = {
  readonly delivery: Delivery
  /**
   * Present on replay: the commands that the journal holds for this turn. They are compared (kind, command, name, data)
   * with what the Program asks for now. A replayed turn returns nothing, and its logs are dropped.
   */
  readonly expected?: readonly Command[]
}

export type ActivationResult =
  /**
   * One output for each live turn. There are fewer when a turn ended the Execution: the last output is then `completed`
   * or `failed`, and the image is gone. There are also fewer when their output is large: the other turns have not run,
   * and their deliveries are still to be made. `computeMs`: for how long these turns computed, without what they waited for.
   */
  | { readonly kind: 'ran'; readonly turns: readonly TurnOutput[]; readonly computeMs: number }
  /** The image after `turnsDone` turns is not cached: replay from the first turn. */
  | { readonly kind: 'image_missing' }
  /** The replay asked for another command than the journal holds. `undefined`: no command on that side. */
  | {
      readonly kind: 'diverged'
      /** Which turn of the Execution, from 0. */
      readonly turn: number
      readonly expected?: Command
      readonly found?: Command | { readonly kind: 'ended'; readonly message: string }
      /** Where in the author's source the found command was asked for, when known. */
      readonly stack?: string
    }

/** Whether the Program has returned or thrown. */
export const hasEnded = (result: ActivationResult): boolean =>
  result.kind === 'ran' && (result.turns.at(-1)?.outcome.kind ?? 'suspended') !== 'suspended'

export type ProgramSource = {
  readonly code: string
  readonly sourceMap?: string
}

export type ProgramCheck = { readonly ok: true } | { readonly ok: false; readonly message: string }

export type ProgramHosts = {
  /**
   * Runs turns of one Execution, which may have only one activation at a time. Rejects only after `stop`. `onAlone` is
   * called when the Execution is slow and waits for a host of its own, where it takes no room from others.
   */
  activate(activation: Activation, onAlone?: () => void): Promise<ActivationResult>
  /** Checks that code parses, and within a second evaluates to an object with `run`. Checks of several tenants take turns. */
  check(source: ProgramSource, tenant?: string): Promise<ProgramCheck>
  /** Drops whatever is cached for an Execution. Nothing is cached for one whose last turn has ended it. */
  forget(executionId: string): void
  stop(): Promise<void>
}

export type ProgramHostStatus = {
  readonly role: 'shared' | 'alone'
  readonly pid: number
  readonly isReady: boolean
  /** Number of running turns. */
  readonly underWay: number
}

/** Called once per version and host process. */
export type LoadProgram = (versionId: string) => ProgramSource
