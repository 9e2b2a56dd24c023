// The services that this page sends requests to. Only this file knows a connection's address and name.

import { HOME } from '../home.ts'
import { useScope } from './scope.ts'

export type Connection = {
  /** The id in addresses and query keys. */
  readonly id: string
  readonly kind: 'local' | 'hosted'
  /** The name on screen. */
  readonly name: string
  /** The page calls only its own origin; the server of the page forwards the request. */
  readonly basePath: string
  /** The id that the service gives the default project. Addresses call it `default`. */
  readonly defaultProjectId: string
}

const HOMES: Readonly<Record<typeof HOME, Connection>> = {
  local: { id: 'local', kind: 'local', name: 'Local', basePath: '/local', defaultProjectId: 'default' },
  hosted: { id: 'hosted', kind: 'hosted', name: 'Hosted', basePath: '/hosted/current', defaultProjectId: 'default' },
}

/** The home that serves this page. The hosted service's default project is known once its session is. */
export const OWN: Connection = HOMES[HOME]

const CONNECTIONS: readonly Connection[] = [OWN]

export const connectionById = (id: string): Connection | undefined => CONNECTIONS.find((one) => one.id === id)

/** The connection with this id in the address. */
export const useConnection = (): Connection => useScope().connection
