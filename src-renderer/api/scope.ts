// Which service and project the screens show. Every request to a service goes through a scope.

import { createContext, useContext, useMemo } from 'react'
import { createPlainClient, type PlainClient } from '#sdk/create-client.ts'
import type { FetchFunction } from '#sdk/index.ts'
import { desktop } from '../desktop.ts'
import { parseExactJson } from '../exact-json.ts'
import { fetchInApp } from './app-fetch.ts'
import { fetchWithSession } from './session.ts'
import type { Connection } from './connection.ts'
import { type Access, accessTo } from './other-access.ts'
import { hearServiceTime } from './service-clock.ts'

export type Scope = {
  readonly connection: Connection
  /** null: the default project. */
  readonly projectId: string | null
  /** Sends the project with each request. */
  readonly client: PlainClient
  /** Sends no project: an Execution is found by its id alone. */
  readonly anyProject: PlainClient
  /** The same two clients, with requests that abort with the signal. */
  readonly until: (signal: AbortSignal) => Clients
}

type Clients = Pick<Scope, 'client' | 'anyProject'>

const pageFetch = desktop === undefined ? fetchWithSession : fetchInApp

/** Also learns what time it is at the service. Reads need no check: what they have read is forgotten with the access. */
const fetchFrom =
  ({ basePath }: Connection, access: Access): typeof fetch =>
  async (input, init) => {
    const askedAt = Date.now()
    const ask = () => pageFetch(input, init)
    const answer = await (init?.method === 'GET' ? ask() : access(ask))
    hearServiceTime(basePath, answer, askedAt, Date.now())
    return answer
  }

/** What is asked of it changes nothing once the connection has got another access. */
export const createScope = (
  connection: Connection,
  projectId: string | null,
  access: Access = accessTo(connection.id),
): Scope => {
  const url = new URL(connection.basePath, window.location.origin).href
  const serviceFetch = fetchFrom(connection, access)
  const clients = (fetch: FetchFunction = serviceFetch): Clients => ({
    client: createPlainClient({ url, projectId: projectId ?? undefined, parseJson: parseExactJson, fetch }),
    anyProject: createPlainClient({ url, parseJson: parseExactJson, fetch }),
  })
  return {
    connection,
    projectId,
    ...clients(),
    until: (signal) => clients((address, init) => serviceFetch(address, { ...init, signal })),
  }
}

/** A project of an address or of an answer, as requests name it; null for the default project. */
export const projectIdOf = (
  project: string,
  { defaultProjectId }: Pick<Connection, 'defaultProjectId'>,
): string | null => (project === 'default' || project === defaultProjectId ? null : project)

/** The project as paths of the API name it. */
export const projectOf = ({ projectId }: Pick<Scope, 'projectId'>): string => projectId ?? 'default'

/** The id of the project that is shown. */
export const shownProjectId = ({ projectId, connection }: Pick<Scope, 'projectId' | 'connection'>): string =>
  projectId ?? connection.defaultProjectId

export const ScopeContext = createContext<Scope | undefined>(undefined)

export const useScope = (): Scope => {
  const scope = useContext(ScopeContext)
  if (scope === undefined) throw new Error('useScope needs a ScopeContext around it')
  return scope
}

/** The scope of an Execution's project, which may be another one than the screen's. */
export const useScopeIn = (project: string): Scope => {
  const screen = useScope()
  const projectId = projectIdOf(project, screen.connection)
  return useMemo(
    () => (projectId === screen.projectId ? screen : createScope(screen.connection, projectId)),
    [screen, projectId],
  )
}
