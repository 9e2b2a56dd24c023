// The database as one workspace sees it.

import type { Database, Values } from './database.ts'
import { scopedRead } from './scoped-read.ts'

export type Scope = {
  /** The rows of a SELECT that names the workspace as `scope.workspace`. Its own parameters begin with $2. */
  read<Row>(select: string, values?: Values): Promise<readonly Row[]>
  /** The same for a statement that is not prepared: PostgreSQL plans it for these values. */
  readOnce<Row>(select: string, values: Values): Promise<readonly Row[]>
  /** Calls a function, whose first parameter is the workspace's key. */
  call<Row>(text: string, values: Values): Promise<readonly Row[]>
}

/** PostgreSQL cannot store U+0000 and refuses parameters with it, so nothing has such a name. */
export const isKnowable = (value: unknown): boolean => typeof value !== 'string' || !value.includes('\0')

export const createScope = (db: Database, workspaceKey: () => Promise<number>): Scope => {
  const texts = new Map<string, string>()
  const textOf = (select: string): string => {
    const text = texts.get(select) ?? scopedRead(select)
    texts.set(select, text)
    return text
  }
  return {
    read: async (select, values = []) => {
      if (!values.every(isKnowable)) return []
      return db.run(textOf(select), [await workspaceKey(), ...values])
    },
    readOnce: async (select, values) => db.runOnce(scopedRead(select), [await workspaceKey(), ...values]),
    call: async (text, values) => db.run(text, [await workspaceKey(), ...values]),
  }
}
