// What a handler of an operation is. A home gives one for each operation that it serves; one that is missing, or answers
// in another shape, does not compile.

import type { ApiError } from '../contract/errors.ts'
import type { AnswerOf, EventStream, OpenOperation, OperationName, RequestOf } from '../contract/operations.ts'
import type { WireJson } from '../contract/wire-json.ts'

export type Caller = {
  /**
   * Before an answer is held: calls back when the caller is gone, until the function it returns is called, which answers
   * once the answer may be read, or why it may not; `undefined` when too many answers are held already.
   */
  hold(onGone: () => void): (() => Promise<ApiError | undefined>) | undefined
}

/** `Ports` are those of the caller's workspace. An open operation has none: its caller is not known. */
export type Handlers<Names extends OperationName, Ports> = {
  readonly [Name in Names]: (
    ports: Name extends OpenOperation ? undefined : Ports,
    request: RequestOf<Name>,
    caller: Caller,
  ) => AnswerOf<Name> | Promise<AnswerOf<Name>>
}

/** An answer before it is sent. */
export type Answer = {
  readonly status: number
  readonly json?: WireJson<unknown>
  readonly bytes?: Uint8Array
  readonly stream?: EventStream
  readonly headers?: Readonly<Record<string, string>>
}
