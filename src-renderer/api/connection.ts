// The service that the screens show: its name, address and look.

import type { ConnectionColour, ConnectionView } from '#runtime/connections/models.ts'
import { HOME, OWN_ID } from '../home.ts'
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
  /** null: the local runtime. */
  readonly colour: ConnectionColour | null
  /** Destructive actions ask for the connection's name first. */
  readonly isProduction: boolean
  /** For programs outside this page; undefined where the page itself tells it. */
  readonly address: string | undefined
  /** The name of the token's workspace; undefined on local, and until it is known. */
  readonly workspace: string | undefined
}

const PLAIN = { defaultProjectId: 'default', isProduction: false, address: undefined, workspace: undefined } as const

const HOMES: Readonly<Record<typeof HOME, Connection>> = {
  local: { ...PLAIN, id: OWN_ID, kind: 'local', name: 'Local', basePath: '/local', colour: null },
  hosted: { ...PLAIN, id: OWN_ID, kind: 'hosted', name: 'Hosted', basePath: '/hosted/current', colour: 'pink' },
}

/** The home that serves this page. The hosted service's default project is known once its session is. */
export const OWN: Connection = HOMES[HOME]

/** `view`: as the list of saved connections has it. */
export const savedConnection = ({
  id,
  name,
  colour,
  isProduction,
  address,
}: Pick<ConnectionView, 'id' | 'name' | 'colour' | 'isProduction' | 'address'>): Connection => ({
  ...PLAIN,
  id,
  kind: 'hosted',
  name,
  basePath: `/hosted/${id}`,
  colour,
  isProduction,
  address,
})

/** What to call its service in a sentence. The service that serves the page needs no name but its workspace's. */
export const serviceName = ({ kind, name, address, workspace }: Connection): string | undefined =>
  kind === 'hosted' && address === undefined ? workspace : name

/** The connection on screen. */
export const useConnection = (): Connection => useScope().connection
