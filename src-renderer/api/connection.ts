// The services that this page may talk to, and how. The one place that knows a connection's address and its name.

import { useScope } from './scope.ts'

export type Connection = {
  /** As addresses and query keys name it. */
  readonly id: string
  readonly kind: 'local' | 'hosted'
  /** As people read it. */
  readonly name: string
  /** The page calls its own origin alone; whoever serves the page forwards. */
  readonly basePath: string
}

export const LOCAL: Connection = { id: 'local', kind: 'local', name: 'Local', basePath: '/local' }

const CONNECTIONS: readonly Connection[] = [LOCAL]

export const connectionById = (id: string): Connection | undefined => CONNECTIONS.find((one) => one.id === id)

/** The connection of the address. */
export const useConnection = (): Connection => useScope().connection
