// The saved connections to hosted services. Whoever serves this page keeps them with their tokens, which go there once
// and never come back: these are plain functions, because react-query would keep the token with a mutation.

import { type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import type {
  ConnectionChange,
  ConnectionList,
  ConnectionTest,
  ConnectionTestResult,
  ConnectionView,
  Keep,
  NewConnection,
} from '#runtime/connections/models.ts'
import { ServiceRuntimeError } from '#sdk/index.ts'
import { desktop } from '../desktop.ts'
import { HOME } from '../home.ts'
import { failureOf } from './failures.ts'
import { goneServices } from './gone-services.ts'
import { noteOtherAccess } from './other-access.ts'
import { fetchWithSession, hasSession } from './session.ts'

export type SavedConnections =
  | ({ readonly kind: 'known' } & ConnectionList)
  /** A page in a browser needs a session key for them. */
  | { readonly kind: 'no-session' }
  /** Who serves this page keeps no connections. */
  | { readonly kind: 'unsupported' }

const NO_SESSION: SavedConnections = { kind: 'no-session' }
const UNSUPPORTED: SavedConnections = { kind: 'unsupported' }

const KEY = ['connections'] as const

const connectionsQuery = queryOptions({
  queryKey: KEY,
  queryFn: async ({ client, signal }): Promise<SavedConnections> => {
    if (HOME === 'hosted') return UNSUPPORTED
    // Without a key, the answer is known.
    if (desktop === undefined && !hasSession()) return NO_SESSION
    try {
      const list = await ask<ConnectionList>('GET', '', undefined, signal)
      const before = client.getQueryData<SavedConnections>(KEY)
      // Another page, or the menu of the app, may have removed one, and given its name and id to another service.
      if (before?.kind === 'known') for (const id of goneServices(before.items, list.items)) forgetService(client, id)
      return { kind: 'known', ...list }
    } catch (error) {
      const { kind, code } = failureOf(error)
      if (code === 'session_required') return NO_SESSION
      if (kind === 'unsupported') return UNSUPPORTED
      throw error
    }
  },
  staleTime: 5_000,
  gcTime: Number.POSITIVE_INFINITY,
})

/** A local address is drawn without the list, so it is read only where it is shown. */
export const useConnections = (enabled = true) => useQuery({ ...connectionsQuery, enabled })

/** Reads the list again where one is missing: another page may have added it. */
export const useConnectionsReadAgain = (): void => void useQuery({ ...connectionsQuery, staleTime: 0 })

/** The saved ones; empty until they are known. */
export const useSavedConnections = (enabled = true): readonly ConnectionView[] => {
  const { data } = useConnections(enabled)
  return data?.kind === 'known' ? data.items : NONE
}

const NONE: readonly ConnectionView[] = []

/** Where they are not asked for, there are none. */
export const useAreConnectionsKnown = (enabled: boolean): boolean => {
  const { data, isFetching } = useConnections(enabled)
  return !enabled || (data !== undefined && !isFetching)
}

/** Saves nothing. Rejects with what is wrong: see ConnectionProblem. */
export const testConnection = (test: ConnectionTest, signal?: AbortSignal): Promise<ConnectionTestResult> =>
  ask('POST', '/test', test, signal)

export const addConnection = async (queries: QueryClient, wanted: NewConnection): Promise<ConnectionView> => {
  const made = await ask<ConnectionView>('POST', '', wanted)
  showInList(queries, (items) => [...items.filter(({ id }) => id !== made.id), made])
  // An earlier connection with this id may have been another service.
  forgetService(queries, made.id)
  pages?.postMessage(made.id)
  return made
}

export const changeConnection = async (queries: QueryClient, id: string, change: ConnectionChange): Promise<void> => {
  replaceInList(queries, await ask('PATCH', `/${id}`, change))
}

export const replaceToken = async (
  queries: QueryClient,
  id: string,
  token: string,
  keep: Keep,
): Promise<ConnectionView> => {
  const changed = await ask<ConnectionView>('PUT', `/${id}/token`, { token, keep })
  replaceInList(queries, changed)
  // The new token may be of another workspace.
  forget(queries, id)
  pages?.postMessage(id)
  return changed
}

export const removeConnection = async (queries: QueryClient, id: string): Promise<void> => {
  await ask('DELETE', `/${id}`)
  showInList(queries, (items) => items.filter((one) => one.id !== id))
  forgetService(queries, id)
  pages?.postMessage(id)
}

/** To the other pages in this browser, which have the same connections. */
const pages = HOME === 'local' ? new BroadcastChannel('wes-connections') : undefined

/** Another page may have given a connection another token, or its id to another service. */
export const followOtherPages = (queries: QueryClient): (() => void) => {
  const hear = ({ data: id }: MessageEvent<string>): void => {
    forget(queries, id)
    void queries.invalidateQueries({ queryKey: KEY })
  }
  pages?.addEventListener('message', hear)
  return () => pages?.removeEventListener('message', hear)
}

let forgetMore: (id: string) => void = () => undefined

/** Called with the id of a connection that was removed, or is now another service's. */
export const onServiceGone = (listener: (id: string) => void): void => {
  forgetMore = listener
}

const forgetService = (queries: QueryClient, id: string): void => {
  forget(queries, id)
  forgetMore(id)
}

/** Nothing that was read with one token is shown with another. */
const forget = (queries: QueryClient, id: string): void => {
  noteOtherAccess(id)
  queries.removeQueries({ queryKey: [id], type: 'inactive' })
  void queries.resetQueries({ queryKey: [id], type: 'active' })
}

const replaceInList = (queries: QueryClient, changed: ConnectionView): void =>
  showInList(queries, (items) => items.map((one) => (one.id === changed.id ? changed : one)))

const showInList = (
  queries: QueryClient,
  change: (items: readonly ConnectionView[]) => readonly ConnectionView[],
): void => {
  queries.setQueryData(connectionsQuery.queryKey, (list) =>
    list?.kind === 'known' ? { ...list, items: change(list.items) } : list,
  )
  void queries.invalidateQueries({ queryKey: connectionsQuery.queryKey })
}

const ask = async <Answer>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Answer> => {
  const answer = await send(`/local/connections${path}`, {
    method,
    signal: signal ?? null,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  if (answer.status === 204) return undefined as Answer
  const told: unknown = await answer.json().catch(() => undefined)
  if (answer.ok && told !== undefined) return told as Answer
  const { error } = (told ?? {}) as { readonly error?: { readonly code?: unknown; readonly message?: unknown } }
  throw new ServiceRuntimeError({
    status: answer.status,
    code: typeof error?.code === 'string' ? error.code : 'invalid_response',
    message: typeof error?.message === 'string' ? error.message : `The answer had status ${answer.status}.`,
  })
}

const send = async (path: string, init: RequestInit): Promise<Response> => {
  try {
    return await fetchWithSession(path, init)
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    const message = 'There was no answer. Try again in a moment.'
    throw new ServiceRuntimeError({ status: 0, code: 'network_error', message })
  }
}
