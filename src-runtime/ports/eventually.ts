/** The same methods, whose answers may also be promises: operations await them, so any home can serve them. */
export type Eventually<Port> = {
  readonly [Member in keyof Port]: Port[Member] extends (...args: infer Args) => infer Answer
    ? (...args: Args) => Answer | Promise<Awaited<Answer>>
    : never
}
