// Whose token a hosted connection uses: its workspace and its role.

import { queryOptions } from '@tanstack/react-query'
import { type Connection, OWN } from './connection.ts'
import { failureOf } from './failures.ts'
import { noteSession } from './known-session.ts'
import { queryKey } from './query-keys.ts'
import { createScope } from './scope.ts'

const ASK_EVERY_MS = 30_000

/** null: the page has no session with the hosted service that serves it. */
export const whoAmIQuery = (connection: Connection) =>
  queryOptions({
    queryKey: queryKey({ connection, projectId: null }, 'who-am-i'),
    queryFn: async ({ client, signal }) => {
      try {
        const who = await createScope(connection, null).until(signal).anyProject.whoAmI()
        noteSession(client, who, connection.id)
        return who
      } catch (error) {
        if (connection.id === OWN.id && failureOf(error).code === 'unauthorized') return null
        throw error
      }
    },
    refetchInterval: ASK_EVERY_MS,
  })
