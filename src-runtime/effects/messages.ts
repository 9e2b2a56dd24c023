// Messages between the runtime and an effect host, sent in ordered arrays. The author's code runs in the host's
// process, so the runtime checks what it receives.

import { Type, type Static, type TSchema } from 'typebox'
import { createValidator } from '../shared/create-validator.ts'
import { type Cause, MOST_CAUSES } from '../shared/error-cause.ts'
import type { EffectHostLimits } from './effect-host-limits.ts'

/** The host trusts the runtime. */
export type ToHost =
  | { readonly kind: 'begin'; readonly folder: string; readonly limits: EffectHostLimits }
  | { readonly kind: 'load'; readonly bundle: string; readonly code: string; readonly sourceMap?: string }
  | EffectRequest
  /** The outcome of the attempt is not needed any more. */
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'stop' }

export type EffectRequest = {
  readonly kind: 'call'
  readonly id: number
  readonly bundle: string
  readonly name: string
  readonly executionId: string
  readonly attempt: number
  readonly idempotencyKey: string
  /** `{ input? }` and more */
  readonly data: string
  readonly timeoutMs: number
}

const thrownMembers = {
  message: Type.String(),
  name: Type.Optional(Type.String()),
  stack: Type.Optional(Type.String()),
}

const causeSchema = (depth: number): TSchema =>
  Type.Object({ ...thrownMembers, ...(depth > 1 && { cause: Type.Optional(causeSchema(depth - 1)) }) })

const Failure = Type.Object({
  code: Type.String(),
  ...thrownMembers,
  cause: Type.Optional(Type.Unsafe<Cause>(causeSchema(MOST_CAUSES))),
})

const Level = Type.Union([Type.Literal('debug'), Type.Literal('info'), Type.Literal('warn'), Type.Literal('error')])

/** `{ result? }`, made by the host's own JSON.stringify within the limits; the text is not parsed again. */
const ResultData = Type.String({ pattern: '^\\{(?:\\}$|"result":)' })

const FromHost = Type.Union([
  Type.Object({ kind: Type.Literal('completed'), id: Type.Number(), data: ResultData }),
  Type.Object({ kind: Type.Literal('failed'), id: Type.Number(), error: Failure, retryable: Type.Boolean() }),
  Type.Object({
    kind: Type.Literal('log'),
    id: Type.Number(),
    lines: Type.Array(Type.Object({ level: Level, message: Type.String() })),
  }),
  /** The event loop runs. `left` counts ended attempts whose code still runs, `heard` the loads and calls that have arrived. */
  Type.Object({ kind: Type.Literal('beat'), left: Type.Number(), heard: Type.Number() }),
  Type.Object({ kind: Type.Literal('loaded'), bundle: Type.String() }),
  /** The file of a module that is in no package, and its stamp before it was read. */
  Type.Object({ kind: Type.Literal('read'), file: Type.String(), stamp: Type.String() }),
  Type.Object({ kind: Type.Literal('load_failed'), bundle: Type.String(), error: Failure }),
  /** The event loop is blocked by an attempt, a load, or neither. */
  Type.Object({
    kind: Type.Literal('blocked'),
    id: Type.Optional(Type.Number()),
    bundle: Type.Optional(Type.String()),
    stack: Type.String(),
  }),
  /** An error that belongs to no attempt. After an exception the host should be replaced. */
  Type.Object({
    kind: Type.Literal('stray'),
    what: Type.Union([Type.Literal('exception'), Type.Literal('rejection'), Type.Literal('exit')]),
    error: Failure,
  }),
])

export type FromHost = Static<typeof FromHost>
export type HostFailure = Static<typeof Failure>

const one = createValidator(FromHost)
const batch = createValidator(Type.Array(FromHost))

/** Ignores unknown messages, because the author's code shares the process and may send its own. */
export const readFromHost = (value: unknown): readonly FromHost[] => {
  if (batch.check(value)) return value
  return Array.isArray(value) ? value.filter((message) => one.check(message)) : []
}
