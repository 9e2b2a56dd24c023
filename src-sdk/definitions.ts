// What the client needs of Program and event definitions: the name on the wire, and types that only the compiler sees.
// Any object of this shape will do.

/** Names a Program and carries the types of its input and result. */
export type ProgramReference<Input = unknown, Result = unknown> = {
  readonly id: string
  /** Never present at run time. */
  readonly '~types'?: { readonly input: Input; readonly result: Result }
}

/** What callers get of a Program: of the type of its definition, the type of its result; of any other type, that one. */
export type ResultOf<Program> = '~types' extends keyof Program
  ? Program extends ProgramReference<infer _Input, infer Result>
    ? Result
    : Program // of any names, such as a Record
  : Program

/** Names an event and carries the type of its payload. */
export type EventReference<Payload = unknown, Name extends string = string> = {
  readonly name: Name
  /** Never present at run time. */
  readonly '~types'?: { readonly payload: Payload }
}

/** Throws for what only the compiler would refuse. */
export const programIdOf = (program: string | ProgramReference): string => {
  const id: unknown = typeof program === 'string' ? program : (program as ProgramReference | undefined)?.id
  if (typeof id !== 'string') throw new TypeError('start and run take a Program, or its id')
  return id
}

/** Throws for what only the compiler would refuse. */
export const eventNameOf = (event: string | EventReference): string => {
  const name: unknown = typeof event === 'string' ? event : (event as EventReference | undefined)?.name
  if (typeof name !== 'string') throw new TypeError('send takes an event that defineEvent made, or its name')
  return name
}
