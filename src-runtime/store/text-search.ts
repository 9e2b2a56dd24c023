// Finds Executions by a part of a text that they have. A trigram index (sequences of three characters) finds the texts
// that may contain the part; the rows decide. The index also holds project, Program and version number as one trigram
// each, so that a part that is common in one Program does not slow a search in another.

import type Database from 'better-sqlite3'
import { ROW_MATCHES, type FilterParameters } from './execution-filter.ts'
import { PARTS_ASKED } from '../shared/list-filters.ts'
import { prepare } from './prepare.ts'
import { collect, type Slices, type Span } from './slices.ts'
import type { VersionRef } from './version-refs.ts'

/** `error_search` for messages of errors, `label_search` for labels; see migrations.ts. */
type Indexed = 'error' | 'label'

const TRIGRAM = 3

/**
 * The index is read whole for each window, however narrow, so windows are wide. In 300,000 failures, a text that is
 * common in one Program takes 0.4 s to find in another that has it once: 24 s with windows of 512, 1.3 s without marks.
 */
const LEAST_WINDOW = 131_072

/**
 * Ends every text, so that each character begins a trigram, and texts of one or two characters can be looked up too.
 */
const END = '\u0001\u0001'

/**
 * A part of one or two characters is looked up when fewer texts than this have it. Otherwise reading the newest rows
 * is faster.
 */
const RARE = 2_000

type OfVersion = Pick<VersionRef, 'projectKey' | 'programKey' | 'number'>

export type TextIndex = {
  readonly insert: (key: number, text: string, version: OfVersion) => void
  readonly remove: (key: number) => void
}

export const createTextIndex = (db: Database.Database, of: Indexed): TextIndex => {
  const insert = prepare(
    db,
    `INSERT OR REPLACE INTO ${of}_search (rowid, message, project, program, number) VALUES (?, ?, ?, ?, ?)`,
  )
  const remove = prepare(db, `DELETE FROM ${of}_search WHERE rowid = ?`)
  return {
    remove: (key) => {
      remove.run(key)
    },
    insert: (key, text, { projectKey, programKey, number }) => {
      insert.run(key, text + END, ...marksOf(projectKey, programKey, number))
    },
  }
}

/** Keys of matching Executions whose texts have the part, newest first; `undefined` when reading the rows is faster. */
export type SearchTexts = (
  part: string,
  filter: FilterParameters,
  range: Span,
  count: number,
  slices: Slices,
) => Promise<readonly number[] | undefined>

type Parameters = FilterParameters & Span & { readonly count: number }

export const createSearchTexts = (db: Database.Database, of: Indexed): SearchTexts => {
  const selectScope = prepare<[FilterParameters], { project: number; program: number | null }>(
    db,
    `SELECT j.key AS project, p.key AS program FROM projects j
     LEFT JOIN programs p ON p.project = j.key AND p.id = @program WHERE j.id = @project`,
  )
  const rows = `CROSS JOIN versions v ON v.key = e.version WHERE ${ROW_MATCHES}`
  const selectMatching = prepare<[Parameters & { match: string }], number>(
    db,
    `SELECT e.key FROM ${of}_search f CROSS JOIN executions e ON e.key = f.rowid ${rows}
       AND f.${of}_search MATCH @match AND f.rowid >= @low AND f.rowid < @high ORDER BY f.rowid DESC LIMIT @count`,
  ).pluck()
  const selectByTerm = prepare<[string, string], number>(
    db,
    `SELECT doc FROM ${of}_terms WHERE term >= ? AND term < ? LIMIT ${RARE}`,
  ).pluck()
  const selectListed = prepare<[Parameters & { listed: string }], number>(
    db,
    `SELECT e.key FROM json_each(@listed) l CROSS JOIN executions e ON e.key = l.value ${rows}
       ORDER BY e.key DESC LIMIT @count`,
  ).pluck()

  return async (part, filter, range, count, slices) => {
    const scope = selectScope.get(filter)
    if (scope === undefined || (filter.program !== null && scope.program === null)) return []
    // The index cannot look these up, or folds their case differently.
    if (part === '' || part.includes('\0')) return undefined
    const parameters = { ...filter, ...range, count }
    const trigrams = trigramsOf(part)
    if (trigrams.length > 0) {
      const match = [...trigrams, ...marksOf(scope.project, scope.program, filter.number)].map(quote).join(' AND ')
      const read = (window: Span, left: number) => selectMatching.all({ ...parameters, ...window, count: left, match })
      return collect(range, count, slices, read, LEAST_WINDOW)
    }
    if (!IS_ASCII.test(part)) return undefined
    const keys = selectByTerm.all(part, part + LAST_CHARACTER)
    if (keys.length === RARE) return undefined
    return selectListed.all({ ...parameters, listed: JSON.stringify([...new Set(keys)]) })
  }
}

const IS_ASCII = /^[\u0000-\u007f]*$/
const LAST_CHARACTER = '\u{10FFFF}'

/** Some of the trigrams of every text with this part; none when it is too short. */
const trigramsOf = (part: string): readonly string[] => {
  const characters = [...part]
  const count = characters.length - TRIGRAM + 1
  const step = Math.max(1, Math.ceil(count / PARTS_ASKED))
  const trigrams: string[] = []
  for (let start = 0; start < count; start += step) trigrams.push(characters.slice(start, start + TRIGRAM).join(''))
  return trigrams
}

const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`

// Private-use characters, which texts rarely contain. If one does, the rows still decide correctly.
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
