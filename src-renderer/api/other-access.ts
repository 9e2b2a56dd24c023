// Tells when a connection may show another workspace, or allow other things, than before: its token was replaced, it is
// another service's, or a session has ended and another one begins.

import { useSyncExternalStore } from 'react'

/** What was asked with an earlier access has been answered, and nobody may see it. */
export class EarlierAccessError extends Error {
  override readonly name = 'EarlierAccessError'
}

type Listener = (connection: string) => void

const listeners = new Set<Listener>()

/** Called with the id of the connection. Nothing that was typed or chosen with one access is shown with another. */
export const onOtherAccess = (listener: Listener): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const noteOtherAccess = (connection: string): void => {
  accesses.delete(connection)
  for (const listener of listeners) listener(connection)
}

/**
 * Asks with one access. Once the connection has got another one, nothing more is asked, and what was asked is not answered: both
 * reject with an EarlierAccessError.
 */
export type Access = <Answer>(ask: () => Promise<Answer>) => Promise<Answer>

/** Those that the connections have now. */
const accesses = new Map<string, Access>()

/** The one that the connection has now. */
export const accessTo = (connection: string): Access => {
  const known = accesses.get(connection)
  if (known !== undefined) return known
  const refuseIfEarlier = (): void => {
    if (accesses.get(connection) !== access) {
      throw new EarlierAccessError('This connection has got another access since.')
    }
  }
  const access: Access = async (ask) => {
    refuseIfEarlier()
    return ask().finally(refuseIfEarlier)
  }
  accesses.set(connection, access)
  return access
}

export const useAccess = (connection: string): Access => useSyncExternalStore(onOtherAccess, () => accessTo(connection))
