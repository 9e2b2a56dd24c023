// Remembers with which session the page of the hosted service has read its data. All tabs of a browser share one session, so
// another tab may sign this one in to another workspace.

import type { QueryClient } from '@tanstack/react-query'
import type { WhoAmI } from '#sdk/index.ts'
import { HOME } from '../home.ts'
import { OWN } from './connection.ts'
import { noteOtherAccess } from './other-access.ts'
import type { Noun } from './query-keys.ts'

/** Sessions of one workspace and role show and may do the same. */
export const accessOf = ({ workspace, token }: WhoAmI): string => `${workspace.id} ${token.role}`

/** The last one that this page knew. */
let known: WhoAmI | undefined

let tell: (workspaceId: string) => void = () => undefined

/** Called with the id of the workspace before anything of it is shown. */
export const onWorkspaceKnown = (listener: (workspaceId: string) => void): void => {
  tell = listener
}

/** Answers whether what was read before may still be shown. Otherwise it is forgotten. */
export const noteSession = (queries: QueryClient, now: WhoAmI): boolean => {
  const isSame = known === undefined || accessOf(known) === accessOf(now)
  if (!isSame) forgetRead(queries)
  known = now
  tell(now.workspace.id)
  return isSame
}

const SESSION: Noun = 'who-am-i'

/** Nothing that one session has read is shown in another. */
export const forgetRead = (queries: QueryClient): void => {
  noteOtherAccess(OWN.id)
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[2] !== SESSION })
}

/** To the other tabs of this browser, which have the same session. */
const tabs = HOME === 'hosted' ? new BroadcastChannel('wes-session') : undefined

export const tellOtherTabs = (): void => tabs?.postMessage('changed')

/** Calls back when another tab has signed in or out. */
export const onOtherTab = (listener: () => void): (() => void) => {
  tabs?.addEventListener('message', listener)
  return () => tabs?.removeEventListener('message', listener)
}
