// The session of this page with the hosted service that serves it: a cookie, which the page cannot read.

import type { QueryClient } from '@tanstack/react-query'
import type { WhoAmI } from '#sdk/index.ts'
import { OWN } from './connection.ts'
import { noteOtherAccess } from './other-access.ts'
import { createScope } from './scope.ts'
import { whoAmIQuery } from './who-am-i.ts'

/** Sessions of one workspace and role show and may do the same. */
export const accessOf = ({ workspace, token }: WhoAmI): string => `${workspace.id} ${token.role}`

/**
 * Exchanges a token for a session. Rejects with what to tell the user. What `before`, the session that has ended, has
 * read is kept and read again where the new one has the same access.
 */
export const signIn = async (queries: QueryClient, token: string, before?: WhoAmI): Promise<void> => {
  const answer = await ask({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  if (!answer.ok) throw new Error(await refusalOf(answer))
  const now = await createScope(OWN, null).anyProject.whoAmI()
  const isSame = before !== undefined && accessOf(before) === accessOf(now)
  if (!isSame) forgetRead(queries)
  queries.setQueryData(whoAmIQuery(OWN).queryKey, now)
  if (isSame) await queries.invalidateQueries()
}

export const signOut = async (queries: QueryClient): Promise<void> => {
  const answer = await ask({ method: 'DELETE' })
  if (!answer.ok) throw new Error(await refusalOf(answer))
  forgetRead(queries)
  // Rather than read again: a session that the user has ended is not one that was lost.
  await queries.resetQueries({ queryKey: whoAmIQuery(OWN).queryKey })
}

/** Nothing that one session has read is shown in another. */
const forgetRead = (queries: QueryClient): void => {
  noteOtherAccess(OWN.id)
  const { queryKey: key } = whoAmIQuery(OWN)
  queries.removeQueries({ predicate: (query) => query.queryKey[2] !== key[2] })
}

const ask = async (init: RequestInit): Promise<Response> => {
  try {
    return await fetch('/session', init)
  } catch {
    throw new Error('The service does not answer. Try again.')
  }
}

const refusalOf = async (answer: Response): Promise<string> => {
  const { error } = (await answer.json().catch(() => ({}))) as {
    readonly error?: { readonly code?: unknown; readonly message?: unknown }
  }
  if (error?.code === 'unauthorized') return 'The token was refused: it is wrong, was revoked or has expired.'
  return typeof error?.message === 'string' ? error.message : `The service answered ${answer.status}. Try again.`
}
