// Where a home keeps the tokens of connections.

import type { Keep, Storing, TokenPlace } from './models.ts'

/** Calls for one connection never overlap. */
export type TokenKeeper = {
  /** What `stored` would mean now. */
  storing(): Promise<Storing>
  /** Replaces the token of the connection. `stored` is only asked for where it is possible. */
  keep(id: string, token: string, how: Keep): Promise<TokenPlace>
  /** Undefined if there is none. Throws a TokenLockedError if it cannot be read at the moment. */
  read(id: string): Promise<string | undefined>
  place(id: string): Promise<TokenPlace>
  /** Does nothing if there is none. */
  remove(id: string): Promise<void>
}

/** The keychain is locked or unavailable; later it may not be. */
export class TokenLockedError extends Error {
  override readonly name = 'TokenLockedError'
}

/** Keeps tokens for this run only. */
export const createMemoryKeeper = (): TokenKeeper => {
  const tokens = new Map<string, string>()
  return {
    storing: () => Promise.resolve('none'),
    keep: (id, token) => {
      tokens.set(id, token)
      return Promise.resolve('run')
    },
    read: (id) => Promise.resolve(tokens.get(id)),
    place: (id) => Promise.resolve(tokens.has(id) ? 'run' : 'none'),
    remove: (id) => {
      tokens.delete(id)
      return Promise.resolve()
    },
  }
}
