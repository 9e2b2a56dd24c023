// The values that an Execution received and produced, with the history entries that hold them.

import type { JsonValue } from '#sdk/index.ts'
import { dataOf, type EntryLine } from '../journal/entry-line.ts'
import type { Journal } from '../journal/journal.ts'

export type DataRow = {
  readonly line: EntryLine
  readonly what: 'event payload' | 'effect input' | 'effect result' | 'effect error'
  /** The member of the entry's data that holds the value. */
  readonly member: 'payload' | 'input' | 'result' | 'error'
}

const VALUES: Readonly<Partial<Record<EntryLine['type'], Pick<DataRow, 'what' | 'member'>>>> = {
  event_received: { what: 'event payload', member: 'payload' },
  effect_scheduled: { what: 'effect input', member: 'input' },
  effect_completed: { what: 'effect result', member: 'result' },
  effect_failed: { what: 'effect error', member: 'error' },
}

/** In history order. `matches`: of a search. */
export const dataRows = (journal: Journal, matches?: (line: EntryLine) => boolean): readonly DataRow[] =>
  journal.lines.flatMap((line) => {
    const value = VALUES[line.type]
    return value === undefined || matches?.(line) === false ? [] : [{ ...value, line }]
  })

/** The length of the value as JSON. For a value that was too large to keep, the length of the whole entry data. */
export const valueSize = ({ line, member }: DataRow): number => {
  if (line.text === undefined) return line.size
  const value = (dataOf(line) as Readonly<Record<string, JsonValue>> | undefined)?.[member]
  return value === undefined ? 0 : JSON.stringify(value).length
}
