// Which service and which project the screens look at. Everything asked of a service goes through here.

import { createContext, useContext } from 'react'
import { createClient, type ServiceClient } from '#sdk/index.ts'
import { parseExactJson } from '../exact-json.ts'

export type Scope = {
  /** `local`, or a hosted connection's name: caches of two connections never mix. */
  readonly connection: string
  /** null: the default project. */
  readonly projectId: string | null
  /** Bound to the project. */
  readonly client: ServiceClient
  /** Bound to none: an Execution is found by its id alone, wherever it belongs. */
  readonly anyProject: ServiceClient
}

/** The page calls its own origin alone; who serves it forwards. */
const baseOf = (connection: string): string =>
  new URL(connection === 'local' ? '/local' : `/hosted/${encodeURIComponent(connection)}`, window.location.origin).href

export const createScope = (connection: string, projectId: string | null): Scope => {
  const url = baseOf(connection)
  return {
    connection,
    projectId,
    client: createClient({ url, projectId: projectId ?? undefined, parseJson: parseExactJson }),
    anyProject: createClient({ url, parseJson: parseExactJson }),
  }
}

export const ScopeContext = createContext<Scope | undefined>(undefined)

export const useScope = (): Scope => {
  const scope = useContext(ScopeContext)
  if (scope === undefined) throw new Error('useScope needs a ScopeContext around it')
  return scope
}
