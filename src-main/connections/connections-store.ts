// The app's file of connections: what they are, and their sealed tokens. For its owner only.

import { Type, type Static } from 'typebox'
import { Check } from 'typebox/schema'
import type { ConnectionsFile } from '../../src-runtime/connections/connections-file.ts'
import { SavedConnection } from '../../src-runtime/connections/models.ts'
import { putAside, readJsonFile, writeJsonFile } from '../../src-runtime/shared/json-file.ts'
import type { SealedTokens } from './token-keeper.ts'

const Sealed = Type.String({ pattern: '^[A-Za-z0-9+/]+={0,2}$' })
const Content = Type.Object({
  connections: Type.Array(SavedConnection),
  tokens: Type.Record(Type.String(), Sealed),
})
type Content = Static<typeof Content>

export type ConnectionsStore = { readonly file: ConnectionsFile; readonly sealed: SealedTokens }

/** `onDamaged` is told why the file cannot be used; it was renamed to `FILE.unreadable`. */
export const openConnectionsStore = (path: string, onDamaged: (error: unknown) => void): ConnectionsStore => {
  let content = load(path, onDamaged)
  const write = (next: Content): void => {
    writeJsonFile(path, next)
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

const load = (path: string, onDamaged: (error: unknown) => void): Content => {
  try {
    const stored = readJsonFile(path)
    if (stored === undefined) return { connections: [], tokens: {} }
    if (Check(Content, stored)) return withoutStrays(stored)
    throw new Error('it does not have the form of a list of connections')
  } catch (error) {
    onDamaged(error)
    putAside(path)
    return { connections: [], tokens: {} }
  }
}

/** A crash may have left a token without its connection; the next change removes it from the disk. */
const withoutStrays = ({ connections, tokens }: Content): Content => ({
  connections,
  tokens: Object.fromEntries(Object.entries(tokens).filter(([id]) => connections.some((one) => one.id === id))),
})
