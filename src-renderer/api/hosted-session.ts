// The session of this page with the hosted service that serves it: a cookie, which the page cannot read.

import type { QueryClient } from '@tanstack/react-query'
import { OWN } from './connection.ts'
import { forgetRead, tellOtherTabs } from './known-session.ts'
import { whoAmIQuery } from './who-am-i.ts'

export const signOut = async (queries: QueryClient): Promise<void> => {
  const answer = await askSession({ method: 'DELETE' })
  if (!answer.ok) throw new Error(await refusalOf(answer))
  tellOtherTabs('signed-out')
  await forgetSession(queries)
}

/** A session that the user has ended, here or in another tab, is not one that was lost: nothing of it stays in the page. */
export const forgetSession = async (queries: QueryClient): Promise<void> => {
  forgetRead(queries)
  await queries.resetQueries({ queryKey: whoAmIQuery(OWN).queryKey })
}

export const askSession = async (init: RequestInit): Promise<Response> => {
  try {
    return await fetch('/session', init)
  } catch {
    throw new Error('The service does not answer. Try again.')
  }
}

export const refusalOf = async (answer: Response): Promise<string> => {
  const { error } = (await answer.json().catch(() => ({}))) as {
    readonly error?: { readonly code?: unknown; readonly message?: unknown }
  }
  if (error?.code === 'unauthorized') return 'The token was refused: it is wrong, was revoked or has expired.'
  return typeof error?.message === 'string' ? error.message : `The service answered ${answer.status}. Try again.`
}
