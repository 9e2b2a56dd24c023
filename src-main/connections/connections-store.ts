// The app's file of connections: what they are, and their sealed tokens. For its owner only.

import { Type, type Static } from 'typebox'
import { Check } from 'typebox/schema'
import {
  type ConnectionsFile,
  haveAddresses,
  listUnread,
  type OnFault,
  writeConnections,
} from '../../src-runtime/connections/connections-file.ts'
import { SavedConnection } from '../../src-runtime/connections/models.ts'
import { putAside, readFormedFile } from '../../src-runtime/shared/json-file.ts'
import type { SealedTokens } from './token-keeper.ts'

const Sealed = Type.String({ pattern: '^[A-Za-z0-9+/]+={0,2}$' })
const Content = Type.Object({
  connections: Type.Array(SavedConnection),
  tokens: Type.Record(Type.String(), Sealed),
})
type Content = Static<typeof Content>

export type ConnectionsStore = { readonly file: ConnectionsFile; readonly sealed: SealedTokens }

export const openConnectionsStore = (path: string, onFault: OnFault): ConnectionsStore => {
  const read = readFormedFile(
    path,
    (stored): stored is Content => Check(Content, stored) && haveAddresses(stored.connections),
  )
  const fault = 'fault' in read ? read.fault : undefined
  if ('fault' in read) onFault(read.fault, read.error)
  if (fault === 'damaged') putAside(path, withoutTokens)
  let content = 'fault' in read || read.content === undefined ? EMPTY : withoutStrays(read.content)
  const write = (next: Content): void => {
    if (fault === 'unread') throw listUnread()
    writeConnections(path, next)
    content = next
  }
  return {
    file: {
      load: () => content.connections,
      save: (connections) => write({ ...content, connections: [...connections] }),
    },
    sealed: {
      get: (id) => (Object.hasOwn(content.tokens, id) ? content.tokens[id] : undefined),
      set: (id, sealed) => write({ ...content, tokens: { ...content.tokens, [id]: sealed } }),
      remove: (id) => {
        if (!Object.hasOwn(content.tokens, id)) return
        const { [id]: _, ...tokens } = content.tokens
        write({ ...content, tokens })
      },
    },
  }
}

const EMPTY: Content = { connections: [], tokens: {} }

/** Of a file that has no form any more: everything that is long enough to be a token, sealed or not. */
const withoutTokens = (text: string): string => text.replaceAll(/[\w+/-]{20,}={0,2}/g, '(removed)')

/** A crash may have left a token without its connection; the next change removes it from the disk. */
const withoutStrays = ({ connections, tokens }: Content): Content => ({
  connections,
  tokens: Object.fromEntries(Object.entries(tokens).filter(([id]) => connections.some((one) => one.id === id))),
})
