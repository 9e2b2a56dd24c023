/**
 * The message of what was thrown, which may be anything. Where a name has several addresses and none can be connected to, Node's error has
 * no message of its own, only those of each address.
 */
export const messageOf = (error: unknown): string => {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join(', ')
  return error instanceof Error ? error.message : String(error)
}
