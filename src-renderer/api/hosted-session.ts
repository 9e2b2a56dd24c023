// The session of this page with the hosted service that serves it: a cookie, which the page cannot read.

import type { QueryClient } from '@tanstack/react-query'
import { OWN } from './connection.ts'
import { whoAmIQuery } from './who-am-i.ts'

/** Exchanges a token for a session. Rejects with what to tell the user. */
export const signIn = async (queries: QueryClient, token: string): Promise<void> => {
  const answer = await ask({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  if (!answer.ok) throw new Error(await refusalOf(answer))
  await startAnew(queries)
}

export const signOut = async (queries: QueryClient): Promise<void> => {
  const answer = await ask({ method: 'DELETE' })
  if (!answer.ok) throw new Error(await refusalOf(answer))
  await startAnew(queries)
}

/** Nothing that one session has read is shown in another. */
const startAnew = async (queries: QueryClient): Promise<void> => {
  const { queryKey: key } = whoAmIQuery(OWN)
  queries.removeQueries({ predicate: (query) => query.queryKey[2] !== key[2] })
  await queries.invalidateQueries({ queryKey: key })
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
