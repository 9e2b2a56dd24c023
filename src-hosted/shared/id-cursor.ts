// Cursors of lists that are sorted by id.

import { badCursor } from '../../src-runtime/operations/page-cursor.ts'

export const encodeCursor = (prefix: string, id: string): string =>
  Buffer.from(id.slice(prefix.length + 1)).toString('base64url')

export const decodeCursor = (prefix: string, cursor: string): string => {
  const suffix = Buffer.from(cursor, 'base64url').toString('latin1')
  const id = `${prefix}_${suffix}`
  if (!/^[0-9a-z]{26}$/.test(suffix) || encodeCursor(prefix, id) !== cursor) {
    throw badCursor()
  }
  return id
}
