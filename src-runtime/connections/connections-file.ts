// The file with the saved connections: no tokens.

import { Type } from 'typebox'
import { Check } from 'typebox/schema'
import { putAside, readJsonFile, writeJsonFile } from '../shared/json-file.ts'
import { SavedConnection } from './models.ts'

const Content = Type.Object({ connections: Type.Array(SavedConnection) })

export type ConnectionsFile = {
  /** Empty without a file. Puts a file aside that is damaged. */
  load(): readonly SavedConnection[]
  /** Atomic; throws, without a change, if it cannot write. */
  save(connections: readonly SavedConnection[]): void
}

/** `onDamaged` is told why the file cannot be used; it was renamed to `FILE.unreadable`. */
export const connectionsFile = (file: string, onDamaged: (error: unknown) => void): ConnectionsFile => ({
  load: () => {
    try {
      const content = readJsonFile(file)
      if (content === undefined) return []
      if (Check(Content, content)) return content.connections
      throw new Error('it does not have the form of a list of connections')
    } catch (error) {
      onDamaged(error)
      putAside(file)
      return []
    }
  },
  save: (connections) => writeJsonFile(file, { connections }),
})
