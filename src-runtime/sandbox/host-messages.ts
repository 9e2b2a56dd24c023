// Messages from a Program host to the runtime. A host runs hostile code, so the runtime checks each message.

import { Type, type Static } from 'typebox'
import { createValidator } from '../shared/create-validator.ts'

const Sequence = Type.Integer({ minimum: 1 })
/** No turn may compute for nearly as long. */
const MOST_COMPUTE_MS = 86_400_000
const Count = Type.Integer({ minimum: 0 })

const Ran = Type.Tuple([
  Sequence,
  Type.Literal('ran'),
  Type.Array(Type.String({ description: 'a live turn’s text' })),
  Type.Number({ description: 'for how many ms these turns computed', minimum: 0, maximum: MOST_COMPUTE_MS }),
])

const Nothing = Type.Tuple([
  Sequence,
  Type.Union([
    Type.Literal('image_missing'),
    /** The host does not have the code of this version. */
    Type.Literal('program_missing'),
    /** A turn took too long for a host that others share. */
    Type.Literal('abandoned'),
    /** Not begun, because another Execution of its version was just abandoned. */
    Type.Literal('sent_back'),
    /** A replayed turn exceeded a limit that it once was within. */
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
    /** The command found instead, as a turn's text; empty: none. */
    found: Type.String(),
    /** How the Program ended instead; empty: it did not end. */
    ended: Type.String(),
    stack: Type.String(),
  }),
])

const Result = Type.Union([Ran, Nothing, Diverged])

const Message = Type.Union([
  Type.Object({
    kind: Type.Literal('results'),
    results: Type.Array(Result),
    /**
     * The job that the host runs now; 0: none. Certain only for an announced job. Absent for a large result, which may arrive later
     * than messages that were sent after it.
     */
    running: Type.Optional(Count),
    /** Jobs that held the host for long at once, and for how many ms. */
    held: Type.Optional(Type.Array(Type.Tuple([Sequence, Type.Number({ minimum: 0, maximum: MOST_COMPUTE_MS })]))),
  }),
  Type.Object({
    kind: Type.Literal('ready'),
    /** How many times slower than the reference machine this machine is. */
    slowness: Type.Number({ exclusiveMinimum: 0 }),
  }),
  Type.Object({ kind: Type.Literal('checked'), sequence: Sequence, message: Type.String() }),
])

export type ResultMessage = Static<typeof Result>
export type FromHost = Static<typeof Message>

const validator = createValidator(Message)

/** `undefined`: the message is invalid, so the host must be replaced. */
export const readFromHost = (message: unknown): FromHost | undefined => (validator.check(message) ? message : undefined)
