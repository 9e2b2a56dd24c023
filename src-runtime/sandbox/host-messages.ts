// What a program host tells the runtime. A host runs hostile code, so each message is checked against this as it comes.

import { Type, type Static } from 'typebox'
import { createValidator } from '../shared/create-validator.ts'

const Sequence = Type.Integer({ minimum: 1 })
const Count = Type.Integer({ minimum: 0 })

const Ran = Type.Tuple([Sequence, Type.Literal('ran'), Type.Array(Type.String({ description: 'a live turn’s text' }))])

const Nothing = Type.Tuple([
  Sequence,
  Type.Union([
    Type.Literal('image_missing'),
    /** The code of this version is not there, or no longer. */
    Type.Literal('program_missing'),
    /** A turn took too long for a host that others wait for. */
    Type.Literal('abandoned'),
    /** Not begun: another Execution of its version has just been abandoned. */
    Type.Literal('sent_back'),
    /** A journalled turn met a bound that it once was within. */
    Type.Literal('over_bound'),
  ]),
])

const Diverged = Type.Tuple([
  Sequence,
  Type.Literal('diverged'),
  Type.Object({
    /** Which turn of the Execution, from 0. */
    turn: Count,
    /** Which command of the turn differs, from 0. */
    index: Count,
    /** The command that was found, as a turn's text; empty: there was none. */
    found: Type.String(),
    /** How the Program ended instead; empty: it did not. */
    ended: Type.String(),
    stack: Type.String(),
  }),
])

const Result = Type.Union([Ran, Nothing, Diverged])

const Message = Type.Union([
  Type.Object({
    kind: Type.Literal('results'),
    results: Type.Array(Result),
    /** What the host runs now; 0: nothing. Certain for what is announced; others may have run since. */
    running: Count,
  }),
  Type.Object({
    kind: Type.Literal('ready'),
    /** How many times slower than the reference machine this one is. */
    slowness: Type.Number({ exclusiveMinimum: 0 }),
  }),
  Type.Object({ kind: Type.Literal('checked'), sequence: Sequence, message: Type.String() }),
])

export type ResultMessage = Static<typeof Result>
export type FromHost = Static<typeof Message>

const validator = createValidator(Message)

/** `undefined`: this is no message of a host that is in order. */
export const readFromHost = (message: unknown): FromHost | undefined => (validator.check(message) ? message : undefined)
