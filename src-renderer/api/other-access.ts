// Tells when a connection may show another workspace, or allow other things, than before: its token was replaced, it is
// another service's, or a session has ended and another one begins.

/** What was asked with an earlier access has been answered, and nobody may see it. */
export class EarlierAccessError extends Error {
  override readonly name = 'EarlierAccessError'
}

let tell: (connection: string) => void = () => undefined

/** How often each connection has got another access. */
const changes = new Map<string, number>()

/** Called with the id of the connection. Nothing that was typed or chosen with one access is shown with another. */
export const onOtherAccess = (listener: (connection: string) => void): void => {
  tell = listener
}

export const noteOtherAccess = (connection: string): void => {
  changes.set(connection, changesOf(connection) + 1)
  tell(connection)
}

/** Rejects with an EarlierAccessError if the connection has got another access meanwhile. */
export const withSameAccess = async <Answer>(connection: string, ask: () => Promise<Answer>): Promise<Answer> => {
  const before = changesOf(connection)
  const refuseIfChanged = (): void => {
    if (changesOf(connection) !== before) throw new EarlierAccessError('This connection has got another access since.')
  }
  return ask().finally(refuseIfChanged)
}

const changesOf = (connection: string): number => changes.get(connection) ?? 0
