// What the client needs of Program and event definitions: the name on the wire, and types that only the compiler sees.
// Any object of this shape will do.

/** Names a Program and carries the types of its input and result. */
export type ProgramReference<Input = unknown, Result = unknown> = {
  readonly id: string
  /** Never present at run time. */
  readonly '~types'?: { readonly input: Input; readonly result: Result }
}

/** Names an event and carries the type of its payload. */
export type EventReference<Payload = unknown> = {
  readonly name: string
  /** Never present at run time. */
  readonly '~types'?: { readonly payload: Payload }
}
