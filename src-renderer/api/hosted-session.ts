// The session of this page with the hosted service that serves it: a cookie, which the page cannot read.

import type { QueryClient } from '@tanstack/react-query'
import { OWN } from './connection.ts'
import { forgetRead, noteSession, tellOtherTabs } from './known-session.ts'
import { createScope } from './scope.ts'
import { whoAmIQuery } from './who-am-i.ts'

/**
 * Exchanges a token for a session. Rejects with what to tell the user. What the session before has read is kept and read
 * again where the new one has the same access.
 */
export const signIn = async (queries: QueryClient, token: string): Promise<void> => {
  const answer = await ask({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  if (!answer.ok) throw new Error(await refusalOf(answer))
  // One that was asked for before tells of the session before.
  await queries.cancelQueries({ queryKey: whoAmIQuery(OWN).queryKey })
  const now = await createScope(OWN, null).anyProject.whoAmI()
  tellOtherTabs('signed-in')
  const isSame = noteSession(queries, now)
  queries.setQueryData(whoAmIQuery(OWN).queryKey, now)
  if (isSame) await queries.invalidateQueries()
}

export const signOut = async (queries: QueryClient): Promise<void> => {
  const answer = await ask({ method: 'DELETE' })
  if (!answer.ok) throw new Error(await refusalOf(answer))
  tellOtherTabs('signed-out')
  await forgetSession(queries)
}

/** A session that the user has ended, here or in another tab, is not one that was lost: nothing of it stays in the page. */
export const forgetSession = async (queries: QueryClient): Promise<void> => {
  forgetRead(queries)
  await queries.resetQueries({ queryKey: whoAmIQuery(OWN).queryKey })
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
