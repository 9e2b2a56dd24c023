// Rows of lists of Executions.

import { DamagedExecution } from '../../src-runtime/engine/damaged-execution.ts'
import type { OpenCommand } from '../../src-runtime/engine/execution-state.ts'
import { inputPreview } from '../../src-runtime/engine/input-preview.ts'
import { readStoredError } from '../../src-runtime/engine/stored-error.ts'
import type { ListedExecution } from '../../src-runtime/ports/overview.ts'
import { OPEN_COLUMN, toHead, toOpenCommand, type HeadRow, type PendingRow } from './rows.ts'

export type ListedRow = HeadRow & {
  readonly error: string | null
  readonly open: readonly PendingRow[] | null
  /** The beginning of `{ input? }`. */
  readonly input: string | null
}

/** More than a preview shows. */
const PREVIEWED = 300

/** Of an Execution `e`. */
export const LISTED_COLUMNS = `e.error,
  (SELECT left(x.data, ${PREVIEWED}) FROM journal x WHERE x.execution = e.key AND x.position = 1) AS input, ${OPEN_COLUMN}`

/** Characters of JSON of what may be large of an Execution `x`. Few commands make none. */
export const LISTED_SIZE = `coalesce(octet_length(x.error), 0) + CASE WHEN x.status < 4 AND x.last_command > 100 THEN
  (SELECT coalesce(sum(200 + octet_length(to_json(coalesce(w.name, ''))::text)), 0) FROM pending w WHERE w.execution = x.key)
  ELSE 0 END`

export const toListed = (row: ListedRow): ListedExecution => {
  const preview = inputPreview(row.input ?? '{}')
  return {
    head: toHead(row),
    ...errorOf(row),
    waitingFor: waitingFor(row.open ?? []),
    ...(preview !== undefined && { inputPreview: preview }),
  }
}

export const errorOf = ({ error }: Pick<ListedRow, 'error'>) =>
  error === null ? {} : { error: readStoredError(error) }

/** A damaged Execution must not break the list. */
export const waitingFor = (rows: readonly PendingRow[]): readonly OpenCommand[] => {
  try {
    return rows.map(toOpenCommand)
  } catch (error) {
    if (error instanceof DamagedExecution) return []
    throw error
  }
}
