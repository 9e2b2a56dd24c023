// Finds Executions by text in their error's message. A trigram index (sequences of three characters) finds messages
// that may contain the text; the rows decide. The index also holds project, Program and version number as one trigram
// each, so that a text that is common in one Program does not slow a search in another.

import type Database from 'better-sqlite3'
import { ROW_MATCHES, type FilterParameters } from './execution-filter.ts'
import { PARTS_ASKED, SEARCHED_CHARACTERS } from '../shared/list-filters.ts'
import { prepare } from './prepare.ts'
import { collect, type Slices, type Span } from './slices.ts'
import type { VersionRef } from './version-refs.ts'

const TRIGRAM = 3

/**
 * The index is read whole for each window, however narrow, so windows are wide. In 300,000 failures, a text that is
 * common in one Program takes 0.4 s to find in another that has it once: 24 s with windows of 512, 1.3 s without marks.
 */
const LEAST_WINDOW = 131_072

/**
 * Ends every message, so that each character begins a trigram, and texts of one or two characters can be looked up too.
 */
const END = '\u0001\u0001'

/**
 * A text of one or two characters is looked up when fewer messages than this have it. Otherwise reading the newest rows
 * is faster.
 */
const RARE = 2_000

export const searchedText = (message: string): string => message.slice(0, SEARCHED_CHARACTERS)

export type ErrorSearch = {
  readonly insert: (key: number, message: string, version: VersionRef) => void
  readonly remove: (key: number) => void
}

export const createErrorSearch = (db: Database.Database): ErrorSearch => {
  const insert = prepare(
    db,
    'INSERT OR REPLACE INTO error_search (rowid, message, project, program, number) VALUES (?, ?, ?, ?, ?)',
  )
  const remove = prepare(db, 'DELETE FROM error_search WHERE rowid = ?')
  return {
    remove: (key) => {
      remove.run(key)
    },
    insert: (key, message, { projectKey, programKey, number }) => {
      insert.run(key, searchedText(message) + END, ...marksOf(projectKey, programKey, number))
    },
  }
}

/** Keys of matching failed Executions, newest first; `undefined` when reading the rows is faster. */
export type SearchErrors = (
  filter: FilterParameters,
  range: Span,
  count: number,
  slices: Slices,
) => Promise<readonly number[] | undefined>

type Parameters = FilterParameters & Span & { readonly count: number }

export const createSearchErrors = (db: Database.Database): SearchErrors => {
  const selectScope = prepare<[FilterParameters], { project: number; program: number | null }>(
    db,
    `SELECT j.key AS project, p.key AS program FROM projects j
     LEFT JOIN programs p ON p.project = j.key AND p.id = @program WHERE j.id = @project`,
  )
  const rows = `CROSS JOIN versions v ON v.key = e.version WHERE ${ROW_MATCHES}`
  const selectMatching = prepare<[Parameters & { match: string }], number>(
    db,
    `SELECT e.key FROM error_search f CROSS JOIN executions e ON e.key = f.rowid ${rows}
       AND f.error_search MATCH @match AND f.rowid >= @low AND f.rowid < @high ORDER BY f.rowid DESC LIMIT @count`,
  ).pluck()
  const selectByTerm = prepare<[string, string], number>(
    db,
    `SELECT doc FROM error_terms WHERE term >= ? AND term < ? LIMIT ${RARE}`,
  ).pluck()
  const selectListed = prepare<[Parameters & { listed: string }], number>(
    db,
    `SELECT e.key FROM json_each(@listed) l CROSS JOIN executions e ON e.key = l.value ${rows}
       ORDER BY e.key DESC LIMIT @count`,
  ).pluck()

  return async (filter, range, count, slices) => {
    const scope = selectScope.get(filter)
    if (scope === undefined || (filter.program !== null && scope.program === null)) return []
    const text = filter.errorText ?? ''
    // The index cannot look these up, or folds their case differently.
    if (text === '' || text.includes('\0')) return undefined
    const parameters = { ...filter, ...range, count }
    const trigrams = trigramsOf(text)
    if (trigrams.length > 0) {
      const match = [...trigrams, ...marksOf(scope.project, scope.program, filter.number)].map(quote).join(' AND ')
      const read = (window: Span, left: number) => selectMatching.all({ ...parameters, ...window, count: left, match })
      return collect(range, count, slices, read, LEAST_WINDOW)
    }
    if (!IS_ASCII.test(text)) return undefined
    const keys = selectByTerm.all(text, text + LAST_CHARACTER)
    if (keys.length === RARE) return undefined
    return selectListed.all({ ...parameters, listed: JSON.stringify([...new Set(keys)]) })
  }
}

const IS_ASCII = /^[\u0000-\u007f]*$/
const LAST_CHARACTER = '\u{10FFFF}'

/** Some of the trigrams of every message with this text; none when it is too short. */
const trigramsOf = (text: string): readonly string[] => {
  const characters = [...text]
  const count = characters.length - TRIGRAM + 1
  const step = Math.max(1, Math.ceil(count / PARTS_ASKED))
  const trigrams: string[] = []
  for (let start = 0; start < count; start += step) trigrams.push(characters.slice(start, start + TRIGRAM).join(''))
  return trigrams
}

const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`

// Private-use characters, which messages rarely contain. If one does, the rows still decide correctly.
const PROJECT = '\u{F0000}'
const PROGRAM = '\u{F0001}'
const NUMBER = '\u{F0002}'
const FIRST_DIGIT = 0x10_0000
const DIGITS = 0x8000

const marksOf = (project: number, program: number | null, number: number | null): readonly string[] => [
  markOf(PROJECT, project),
  ...(program === null ? [] : [markOf(PROGRAM, program)]),
  ...(number === null ? [] : [markOf(NUMBER, number)]),
]

/** Three characters: the kind, and the key in two digits. Larger keys share marks, which costs only speed. */
const markOf = (kind: string, key: number): string =>
  kind +
  String.fromCodePoint(FIRST_DIGIT + (Math.floor(key / DIGITS) % DIGITS)) +
  String.fromCodePoint(FIRST_DIGIT + (key % DIGITS))
