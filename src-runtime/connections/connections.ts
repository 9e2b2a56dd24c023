// The saved connections of a home. Changes are made one after another; a change is stored before its caller is told.

import type { ConnectionsFile } from './connections-file.ts'
import {
  MOST_CONNECTIONS,
  type ConnectionChange,
  type ConnectionList,
  type ConnectionView,
  type NewConnection,
  type NewToken,
  type SavedConnection,
} from './models.ts'
import { idFor, isSameName, nameFault } from './name-rules.ts'
import { ConnectionProblem } from './problems.ts'
import { parseAddress } from './service-address.ts'
import type { TokenKeeper } from './token-keeper.ts'

/** `token`: it was replaced. */
export type ConnectionEvent = { readonly id: string; readonly kind: 'added' | 'changed' | 'token' | 'removed' }

/** Throws a ConnectionProblem for what its caller did wrong. */
export type Connections = {
  list(): Promise<ConnectionList>
  find(id: string): SavedConnection | undefined
  add(wanted: NewConnection): Promise<ConnectionView>
  change(id: string, change: ConnectionChange): Promise<ConnectionView>
  replaceToken(id: string, token: NewToken): Promise<ConnectionView>
  /** Removes the token first. */
  remove(id: string): Promise<void>
  /** The keeper's; see `TokenKeeper.read`. */
  readToken(id: string): Promise<string | undefined>
  /** Calls back after each change, until the returned function is called. */
  onChange(listener: (event: ConnectionEvent) => void): () => void
}

export const createConnections = (file: ConnectionsFile, keeper: TokenKeeper): Connections => {
  let saved = file.load()
  const listeners = new Set<(event: ConnectionEvent) => void>()
  let lastChange: Promise<unknown> = Promise.resolve()

  const inTurn = <Result>(act: () => Promise<Result>): Promise<Result> => {
    const done = lastChange.then(act)
    lastChange = done.catch(() => undefined)
    return done
  }
  const store = (next: readonly SavedConnection[]): void => {
    file.save(next)
    saved = next
  }
  const tell = (event: ConnectionEvent): void => {
    for (const listener of listeners) listener(event)
  }
  const find = (id: string) => saved.find((one) => one.id === id)
  const known = (id: string): SavedConnection => {
    const found = find(id)
    if (found === undefined) throw new ConnectionProblem('connection_not_found', `There is no connection ${id}.`)
    return found
  }
  const view = async (connection: SavedConnection): Promise<ConnectionView> => ({
    ...connection,
    token: await keeper.place(connection.id),
  })
  const refuseName = (name: string, except?: string): void => {
    const fault = nameFault(name)
    if (fault !== undefined) throw new ConnectionProblem('invalid_request', fault)
    const other = saved.find((one) => one.id !== except && isSameName(one.name, name))
    if (other !== undefined)
      throw new ConnectionProblem('connection_exists', `There is a connection “${other.name}” already.`)
  }
  const refuseStoring = async ({ keep }: Pick<NewToken, 'keep'>): Promise<void> => {
    if (keep === 'run' || (await keeper.storing()) !== 'none') return
    throw new ConnectionProblem('invalid_request', 'Tokens cannot be stored here: keep it for this run only.')
  }

  return {
    find,
    list: async () => ({ items: await Promise.all(saved.map(view)), storing: await keeper.storing() }),
    readToken: (id) => keeper.read(id),
    add: ({ token, keep, ...wanted }) =>
      inTurn(async () => {
        refuseName(wanted.name)
        const parsed = parseAddress(wanted.address)
        if (parsed.kind === 'wrong') throw new ConnectionProblem('invalid_address', parsed.message)
        if (saved.length >= MOST_CONNECTIONS) throw tooMany()
        await refuseStoring({ keep })
        const id = idFor(wanted.name, (taken) => find(taken) !== undefined)
        const connection: SavedConnection = { id, ...wanted, address: parsed.address }
        // Stored without a token first: a token that belongs to no connection could never be removed.
        store([...saved, connection])
        try {
          await keeper.keep(id, token, keep)
        } catch (error) {
          store(saved.filter((one) => one.id !== id))
          throw error
        }
        tell({ id, kind: 'added' })
        return view(connection)
      }),
    change: (id, change) =>
      inTurn(async () => {
        const changed = { ...known(id), ...change }
        refuseName(changed.name, id)
        store(saved.map((one) => (one.id === id ? changed : one)))
        tell({ id, kind: 'changed' })
        return view(changed)
      }),
    replaceToken: (id, { token, keep }) =>
      inTurn(async () => {
        const connection = known(id)
        await refuseStoring({ keep })
        await keeper.keep(id, token, keep)
        tell({ id, kind: 'token' })
        return view(connection)
      }),
    remove: (id) =>
      inTurn(async () => {
        known(id)
        await keeper.remove(id)
        try {
          store(saved.filter((one) => one.id !== id))
        } finally {
          tell({ id, kind: 'removed' })
        }
      }),
    onChange: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

const tooMany = () =>
  new ConnectionProblem('too_many_connections', `There are ${MOST_CONNECTIONS} connections already. Remove one first.`)
