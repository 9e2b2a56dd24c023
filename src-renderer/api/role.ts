// The role of the connection's token. On local, everything is allowed.

import { useQuery } from '@tanstack/react-query'
import type { Role } from './capabilities.ts'
import { useConnection } from './connection.ts'
import { whoAmIQuery } from './who-am-i.ts'

/** undefined on local, and until it is known. */
export const useRole = (): Role | undefined => {
  const connection = useConnection()
  return useQuery({ ...whoAmIQuery(connection), enabled: connection.kind === 'hosted' }).data?.token.role
}
