// The file with the saved connections: no tokens.

import { Type, type Static } from 'typebox'
import { Check } from 'typebox/schema'
import { type JsonFileFault, putAside, readFormedFile, writeJsonFile } from '../shared/json-file.ts'
import { SavedConnection } from './models.ts'
import { ConnectionProblem } from './problems.ts'
import { isAddress } from './service-address.ts'
import { messageOf } from '../shared/message-of.ts'

const Content = Type.Object({ connections: Type.Array(SavedConnection) })
type Content = Static<typeof Content>

/** Of a file that was stored as a whole, and not changed since: a token goes to such an address. */
export const haveAddresses = (connections: readonly SavedConnection[]): boolean =>
  connections.every(({ address }) => isAddress(address))

export type ConnectionsFile = {
  /** Empty without a file. Renames a damaged file; leaves a file that cannot be read as it is. */
  load(): readonly SavedConnection[]
  /** Atomic; throws, without a change, if it cannot write, or could not read. */
  save(connections: readonly SavedConnection[]): void
}

/** Told why the file cannot be used. A damaged one was renamed to `FILE.unreadable`. */
export type OnFault = (fault: JsonFileFault, error: unknown) => void

export const connectionsFile = (file: string, onFault: OnFault): ConnectionsFile => {
  let isUnread = false
  return {
    load: () => {
      const read = readFormedFile(
        file,
        (content): content is Content => Check(Content, content) && haveAddresses(content.connections),
      )
      isUnread = 'fault' in read && read.fault === 'unread'
      if (!('fault' in read)) return read.content?.connections ?? []
      onFault(read.fault, read.error)
      if (!isUnread) putAside(file)
      return []
    },
    save: (connections) => {
      if (isUnread) throw listUnread()
      writeConnections(file, { connections })
    },
  }
}

/** With the reason for the user, who may have to make room on the disk. */
export const writeConnections = (file: string, content: { readonly connections: readonly SavedConnection[] }): void => {
  try {
    writeJsonFile(file, content)
  } catch (error) {
    throw new ConnectionProblem('internal', `The saved connections cannot be stored in ${file}: ${messageOf(error)}`)
  }
}

/** Writing would replace a list that may be complete. */
export const listUnread = () =>
  new ConnectionProblem(
    'internal',
    'The saved connections could not be read at the start, so nothing is saved. The log says why. Start again when the file can be read.',
  )

export const FAULT_NOTES: Readonly<Record<JsonFileFault, string>> = {
  damaged: 'the list of connections is damaged; the file is renamed, and the list is empty',
  unread: 'the list of connections cannot be read; it stays as it is, and nothing is saved',
}
