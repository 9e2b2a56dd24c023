// The index of the messages of errors.

import type Database from 'better-sqlite3'
import { SEARCHED_CHARACTERS } from '../shared/list-filters.ts'
import { createTextIndex, type TextIndex } from './text-search.ts'

export const searchedText = (message: string): string => message.slice(0, SEARCHED_CHARACTERS)

export const createErrorSearch = (db: Database.Database): TextIndex => {
  const { insert, remove } = createTextIndex(db, 'error')
  return { remove, insert: (key, message, version) => insert(key, searchedText(message), version) }
}
