// Remembers with which session or token the page has read the data of a hosted service. All tabs of a browser share the session
// and the saved tokens, so another tab may sign this one in to another workspace.

import type { QueryClient } from '@tanstack/react-query'
import type { WhoAmI } from '#sdk/index.ts'
import { HOME } from '../home.ts'
import { OWN } from './connection.ts'
import { noteOtherAccess } from './other-access.ts'
import type { Noun } from './query-keys.ts'

/** Sessions of one workspace and role show and may do the same. */
export const accessOf = ({ workspace, token }: WhoAmI): string => `${workspace.id} ${token.role}`

/** The last one that this page knew of each connection. */
const known = new Map<string, WhoAmI>()

let tell: (connection: string, workspaceId: string) => void = () => undefined

/** Called with the ids of the connection and of its workspace before anything of it is shown. */
export const onWorkspaceKnown = (listener: typeof tell): void => {
  tell = listener
}

/** Answers whether what was read before may still be shown. Otherwise it is forgotten. */
export const noteSession = (queries: QueryClient, now: WhoAmI, connection = OWN.id): boolean => {
  const before = known.get(connection)
  const isSame = before === undefined || accessOf(before) === accessOf(now)
  if (!isSame) forgetRead(queries, connection)
  known.set(connection, now)
  tell(connection, now.workspace.id)
  return isSame
}

const SESSION: Noun = 'who-am-i'

/** Nothing that one session or token has read is shown with another. */
export const forgetRead = (queries: QueryClient, connection = OWN.id): void => {
  noteOtherAccess(connection)
  queries.removeQueries({ queryKey: [connection], predicate: ({ queryKey }) => queryKey[2] !== SESSION })
}

/** To the other tabs of this browser, which have the same session. */
const tabs = HOME === 'hosted' ? new BroadcastChannel('wes-session') : undefined

export const tellOtherTabs = (what: 'signed-in' | 'signed-out'): void => tabs?.postMessage(what)

/** Calls back when another tab has signed in or out. */
export const onOtherTab = (listener: (isSignedOut: boolean) => void): (() => void) => {
  const hear = ({ data }: MessageEvent<unknown>): void => listener(data === 'signed-out')
  tabs?.addEventListener('message', hear)
  return () => tabs?.removeEventListener('message', hear)
}
