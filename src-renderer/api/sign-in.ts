// Apart from the rest of the session: the first screen does without it.

import type { QueryClient } from '@tanstack/react-query'
import { OWN } from './connection.ts'
import { askSession, refusalOf } from './hosted-session.ts'
import { noteSession, tellOtherTabs } from './known-session.ts'
import { createScope } from './scope.ts'
import { whoAmIQuery } from './who-am-i.ts'

/**
 * Exchanges a token for a session. Rejects with what to tell the user. What the session before has read is kept and read
 * again where the new one has the same access.
 */
export const signIn = async (queries: QueryClient, token: string): Promise<void> => {
  const answer = await askSession({
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
