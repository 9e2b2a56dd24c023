// The services that this page sends requests to. Only this file knows a connection's address and name.

import { useScope } from './scope.ts'

export type Connection = {
  /** The id in addresses and query keys. */
  readonly id: string
  readonly kind: 'local' | 'hosted'
  /** The name on screen. */
  readonly name: string
  /** The page calls only its own origin; the server of the page forwards the request. */
  readonly basePath: string
}

export const LOCAL: Connection = { id: 'local', kind: 'local', name: 'Local', basePath: '/local' }

const CONNECTIONS: readonly Connection[] = [LOCAL]

export const connectionById = (id: string): Connection | undefined => CONNECTIONS.find((one) => one.id === id)

/** The connection with this id in the address. */
export const useConnection = (): Connection => useScope().connection
