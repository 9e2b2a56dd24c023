// The role of the connection's token. On local, everything is allowed.

import { useQuery } from '@tanstack/react-query'
import { type Refusal, type Role, roleCannot } from './capabilities.ts'
import { useConnection } from './connection.ts'
import { whoAmIQuery } from './who-am-i.ts'

/** undefined on local, and until it is known. */
export const useRole = (): Role | undefined => {
  const connection = useConnection()
  return useQuery({ ...whoAmIQuery(connection), enabled: connection.kind === 'hosted' }).data?.token.role
}

/** Why the token may not do what needs this role. */
export const useRoleCannot = (needed: Role): Refusal => roleCannot(needed, useRole())
