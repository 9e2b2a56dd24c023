// Finding Executions by text in their error's message. The index knows which messages hold the same three-letter
// sequences; whether they hold the text itself is decided on the rows.

import type Database from 'better-sqlite3'

/** Text behind this is not found: it bounds what a failing Program can make the index do. */
const SEARCHED_CHARACTERS = 4_096

/** The rarest of these decide how fast it is; more do not make the answer better. */
const TRIGRAMS_ASKED = 12

const TRIGRAM = 3

export type ErrorSearch = {
  readonly insert: (key: number, message: string) => void
}

export const createErrorSearch = (db: Database.Database): ErrorSearch => {
  const insert = db.prepare('INSERT OR REPLACE INTO error_search (rowid, message) VALUES (?, ?)')
  return {
    insert: (key, message) => {
      insert.run(key, searchedText(message))
    },
  }
}

export const searchedText = (message: string): string => message.slice(0, SEARCHED_CHARACTERS)

/** The expression for MATCH that every message with this text satisfies; `undefined` when the index cannot tell. */
export const errorSearchFor = (text: string): string | undefined => {
  if (text.includes('\0')) return undefined
  const characters = [...text]
  const count = characters.length - TRIGRAM + 1
  if (count < 1) return undefined
  const step = Math.max(1, Math.ceil(count / TRIGRAMS_ASKED))
  const asked: string[] = []
  for (let start = 0; start < count; start += step) asked.push(quote(characters.slice(start, start + TRIGRAM).join('')))
  return asked.join(' AND ')
}

const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`
