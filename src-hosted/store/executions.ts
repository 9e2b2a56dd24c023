// Single Executions of one workspace, as operations read them.

import type { Eventually } from '../../src-runtime/ports/eventually.ts'
import type { ExecutionHead } from '../../src-runtime/engine/execution-state.ts'
import type { ExecutionReads, OutcomeRecord, WholeExecution } from '../../src-runtime/ports/executions.ts'
import { statusCodes } from '../../src-runtime/shared/row-codes.ts'
import { readTogether } from './in-batches.ts'
import type { IdentitiesOfWorkspace } from './kept-identities.ts'
import { errorOf, waitingFor } from './list-rows.ts'
import { HEAD_COLUMNS, HEAD_JOINS, OPEN_COLUMN, toHead, type HeadRow, type PendingRow } from './rows.ts'
import { isKnowable, type Scope } from './scope.ts'

type WholeRow = HeadRow & {
  readonly error: string | null
  readonly input: string | null
  readonly result: string | null
  readonly open: readonly PendingRow[] | null
}

type OutcomeRow = Pick<WholeRow, 'status' | 'error' | 'result'>

/** Longer data is read alone: together, the inputs and results of a batch could take all memory. */
const MOST_BYTES_TOGETHER = 16 * 1024
const ANY_LENGTH = 2 ** 31 - 1
/** In place of data that is longer than the read may answer. It is no JSON. */
const LEFT_OUT = ''

/** `octet_length` does not read the value. */
const dataAt = (position: string): string =>
  `(SELECT CASE WHEN octet_length(x.data) > $3 THEN '${LEFT_OUT}' ELSE x.data END
    FROM journal x WHERE x.execution = e.key AND x.position = ${position})`
/** The entry that completes an Execution is its last. */
const RESULT = `CASE WHEN e.status = 4 THEN ${dataAt('e.last_position')} END AS result`

const AMONG_KEYS = 'WHERE e.workspace = scope.workspace AND e.key = ANY ($2::bigint[])'
const AMONG_IDS = 'WHERE e.workspace = scope.workspace AND e.id = ANY ($2::text[])'
const HEADS = `SELECT ${HEAD_COLUMNS} FROM executions e ${HEAD_JOINS} ${AMONG_KEYS}`
const FOUND = `SELECT ${HEAD_COLUMNS} FROM executions e ${HEAD_JOINS} ${AMONG_IDS}`
const WHOLES = `SELECT ${HEAD_COLUMNS}, e.error, ${RESULT},
    ${dataAt('1')} AS input, ${OPEN_COLUMN}
  FROM executions e ${HEAD_JOINS} ${AMONG_KEYS}`
const OUTCOMES = `SELECT e.key, e.status, e.error, ${RESULT} FROM executions e ${AMONG_KEYS}`
const FOUND_OUTCOMES = `SELECT ${HEAD_COLUMNS}, e.error, ${RESULT} FROM executions e ${HEAD_JOINS} ${AMONG_IDS}`
const KEPT_MS = 86_400_000
/** The key of a deleted Execution was never sent. */
const STARTED_WITH = `SELECT i.execution AS key, i.body_hash FROM idempotency i JOIN projects j ON j.key = i.project
    JOIN executions e ON e.key = i.execution
  WHERE i.workspace = scope.workspace AND j.id = $2 AND i.key = $3 AND i.created_at > wes_now() - ${KEPT_MS}`
const RECEIVED_WITH = `SELECT position, body_hash FROM event_keys
  WHERE workspace = scope.workspace AND execution = $2 AND key = $3 AND created_at > wes_now() - ${KEPT_MS}`
const MOST_TOGETHER = 64
const DELETE = 'SELECT * FROM wes_delete($1, $2)'

export const createExecutionReads = (scope: Scope, kept: IdentitiesOfWorkspace): Eventually<ExecutionReads> => {
  const together = <Row, Name>(select: string, nameOf: (row: Row) => Name) =>
    readTogether(MOST_TOGETHER, nameOf, (names: readonly Name[]) => scope.read<Row>(select, [names]))
  const head = together(HEADS, ({ key }: HeadRow) => key)
  const dataTogether = <Row extends Partial<Pick<WholeRow, 'input' | 'result'>>, Name>(
    select: string,
    nameOf: (row: Row) => Name,
  ) => {
    const read = (names: readonly Name[], mostBytes: number) => scope.read<Row>(select, [names, mostBytes])
    const readMany = readTogether(MOST_TOGETHER, nameOf, (names: readonly Name[]) =>
      read(names, names.length === 1 ? ANY_LENGTH : MOST_BYTES_TOGETHER),
    )
    return async (name: Name): Promise<Row | undefined> => {
      const row = await readMany(name)
      return row?.input === LEFT_OUT || row?.result === LEFT_OUT ? (await read([name], ANY_LENGTH))[0] : row
    }
  }
  const outcome = dataTogether(OUTCOMES, ({ key }: OutcomeRow & Pick<HeadRow, 'key'>) => key)
  const whole = dataTogether(WHOLES, ({ key }: WholeRow) => key)
  const find = together(FOUND, ({ id }: HeadRow) => id)
  const findOutcome = dataTogether(FOUND_OUTCOMES, ({ id }: HeadRow & OutcomeRow) => id)
  const keepFound = (row: HeadRow): ExecutionHead => {
    const found = toHead(row)
    kept.keep(found)
    return found
  }
  const findHead = async (id: string): Promise<ExecutionHead | undefined> => {
    const row = isKnowable(id) ? await find(id) : undefined
    return row && keepFound(row)
  }
  return {
    head: async (key) => {
      const row = await head(key)
      return row && toHead(row)
    },
    find: findHead,
    identify: async (id) => kept.get(id) ?? findHead(id),
    whole: async (key) => {
      const row = await whole(key)
      return row && toWhole(row)
    },
    outcome: async (key) => {
      const row = await outcome(key)
      return row && toOutcome(row)
    },
    findOutcome: async (id) => {
      const row = isKnowable(id) ? await findOutcome(id) : undefined
      return row && { head: keepFound(row), outcome: toOutcome(row) }
    },
    startedWith: async (projectId, idempotencyKey) => {
      const [row] = await scope.read<{ key: number; body_hash: string }>(STARTED_WITH, [projectId, idempotencyKey])
      return row && { key: row.key, bodyHash: row.body_hash }
    },
    receivedWith: async (key, idempotencyKey) => {
      const [row] = await scope.read<{ position: number; body_hash: string }>(RECEIVED_WITH, [key, idempotencyKey])
      return row && { position: row.position, bodyHash: row.body_hash }
    },
    delete: async (key) => {
      type Deletion = { readonly outcome: 'gone' | 'deleted' | 'not_finished'; readonly status: number }
      const [row] = await scope.call<Deletion>(DELETE, [key])
      const { outcome, status } = row!
      if (outcome === 'gone') return undefined
      return outcome === 'deleted' ? { kind: 'deleted' } : { kind: outcome, status: statusCodes.toWord(status) }
    },
  }
}

const toWhole = (row: WholeRow): WholeExecution => ({
  head: toHead(row),
  ...errorOf(row),
  waitingFor: waitingFor(row.open ?? []),
  input: row.input ?? '{}',
  result: row.result ?? '{}',
})

const toOutcome = (row: OutcomeRow): OutcomeRecord => ({
  status: statusCodes.toWord(row.status),
  ...errorOf(row),
  result: row.result ?? '{}',
})
