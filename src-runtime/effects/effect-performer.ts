// The port for performing effects.

import type { EffectFailure } from '../engine/effect-attempts.ts'
import type { JsonText } from '../engine/journal.ts'
import type { EffectOptions } from '../engine/turn.ts'

export type EffectCall = {
  readonly executionId: string
  readonly programId: string
  readonly versionId: string
  readonly name: string
  /**
   * From 1. An attempt whose outcome was not journalled, because the runtime died, is performed again with this number.
   */
  readonly attempt: number
  /** The same over all attempts. */
  readonly idempotencyKey: string
  /** The `effect_scheduled` data: `{ input?, retry?, timeoutMs? }`. If it is large, it is read when the attempt begins. */
  readonly data: JsonText | (() => JsonText)
  /** In the hosted service, in place of `data`, if that is large. Called once the attempt has a place. */
  readData?(): Promise<JsonText>
  readonly timeoutMs: number
  /** Aborts when the Execution no longer wants the result. */
  readonly signal: AbortSignal
  /**
   * In the hosted service, for an attempt whose performer has died before: stores whether it is under way in this process, or
   * waits. A death of the process counts for what is under way.
   */
  noteUnderWay?(isUnderWay: boolean): Promise<void>
  /** Called just before a process gets the attempt. */
  onBegin?(): void
  /** Called once its process runs, and has loaded its code: just before the effect itself is called. */
  onRun?(): void
  /** Called when its process has ended and it waits to begin again: its folder is not trusted any more. */
  onWait?(): void
  /** Adds what the effect logs or prints to the Execution's history. Ignored once the attempt has ended. */
  onLog(entry: EffectLog): void
}

export type EffectLog = { readonly level: 'debug' | 'info' | 'warn' | 'error'; readonly message: string }

export type EffectOutcome =
  | { readonly kind: 'completed'; /** `{ result? }` */ readonly data: JsonText }
  | { readonly kind: 'failed'; readonly error: EffectFailure; readonly retryable: boolean }

export type EffectPerformer = {
  /** The effect's options in the version's manifest. */
  defaultsOf(versionId: string, name: string): EffectOptions
  /** One attempt. Never rejects. */
  perform(call: EffectCall): Promise<EffectOutcome>
}

/** For Programs that were deployed without effects: every call fails, without retries, and says where effects run. */
export const noEffects: EffectPerformer = {
  defaultsOf: () => ({}),
  perform: ({ name, programId }) =>
    Promise.resolve({
      kind: 'failed',
      retryable: false,
      error: {
        code: 'effect_failed',
        name: 'EffectError',
        message:
          `effect "${name}" cannot run: this version of Program ${programId} has no effects. ` +
          "A version has the effects of the *.effects.ts modules from which its Program uses something, and of those that it imports without names: import './mail.effects.ts'. " +
          'Effects run from project source: put an uploaded Program and its *.effects.ts into a project folder and, there, start `wes dev` or, for a hosted service, run `wes deploy`',
      },
    }),
}
