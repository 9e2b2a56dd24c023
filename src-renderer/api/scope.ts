// Which service and which project the screens look at. Everything asked of a service goes through here.

import { createContext, useContext } from 'react'
import { createClient, type FetchFunction, type ServiceClient } from '#sdk/index.ts'
import { parseExactJson } from '../exact-json.ts'
import { fetchWithSession } from './session.ts'
import type { Connection } from './connection.ts'

export type Scope = {
  readonly connection: Connection
  /** null: the default project. */
  readonly projectId: string | null
  /** Bound to the project. */
  readonly client: ServiceClient
  /** Bound to none: an Execution is found by its id alone, wherever it belongs. */
  readonly anyProject: ServiceClient
  /** The same two clients, whose requests end with the signal. */
  readonly until: (signal: AbortSignal) => Clients
}

type Clients = Pick<Scope, 'client' | 'anyProject'>

export const createScope = (connection: Connection, projectId: string | null): Scope => {
  const url = new URL(connection.basePath, window.location.origin).href
  const clients = (fetch: FetchFunction = fetchWithSession): Clients => ({
    client: createClient({ url, projectId: projectId ?? undefined, parseJson: parseExactJson, fetch }),
    anyProject: createClient({ url, parseJson: parseExactJson, fetch }),
  })
  return {
    connection,
    projectId,
    ...clients(),
    until: (signal) => clients((address, init) => fetchWithSession(address, { ...init, signal })),
  }
}

/** How a project's id is used in requests; the default project needs none. */
export const projectIdOf = (project: string): string | null => (project === 'default' ? null : project)

export const ScopeContext = createContext<Scope | undefined>(undefined)

export const useScope = (): Scope => {
  const scope = useContext(ScopeContext)
  if (scope === undefined) throw new Error('useScope needs a ScopeContext around it')
  return scope
}
