// Starts Executions of one workspace. Starts that come at the same moment share one transaction, and so one flush.

import type { ExecutionHead } from '../../src-runtime/engine/execution-state.ts'
import { isTerminal } from '../../src-runtime/engine/journal.ts'
import type { NewExecution } from '../../src-runtime/ports/executions.ts'
import { changeParameters, lengthOf } from './change-parameters.ts'
import type { IdentitiesOfWorkspace } from './kept-identities.ts'
import { parameters } from './parameters.ts'
import type { Scope } from './scope.ts'
import type { Acceptance, Ahead, Started } from './store.ts'
import { MOST_LENGTH_SENT, unlessLocked, writtenTogether } from './written-together.ts'

type StartedRow = {
  readonly outcome: 'started' | 'repeated' | 'version_gone' | 'trigger_changed'
  readonly k: number
  readonly at: number
  readonly repeated_hash: string | null
}

/** `sent`: with a key that was sent before, maybe by another start of the same batch. */
type ManyRow = { readonly outcome: 'started' | 'sent' | 'version_gone'; readonly k: number; readonly at: number }

type Start = {
  readonly execution: NewExecution
  readonly ahead: Ahead | undefined
  readonly change: ReturnType<typeof changeParameters>
}

const START = `SELECT * FROM wes_start(${parameters(27)})`
const START_NEWEST = `SELECT * FROM wes_start_newest(${parameters(27)})`
const START_SCHEDULED = `SELECT * FROM wes_start_scheduled(${parameters(28)})`
const START_MANY = `SELECT * FROM wes_start_many($1, $2, ${unlessLocked('$3')})`
const START_MANY_SCHEDULED = `SELECT * FROM wes_start_many_scheduled($1, $2, ${unlessLocked('$3')}, $4, $5)`
const MOST_TOGETHER = 64

export const createStarts = (scope: Scope, identities: IdentitiesOfWorkspace): Acceptance['start'] => {
  const startOne = async (start: Start): Promise<StartedRow> => {
    const { isNewest, triggerUpdatedAt } = start.execution
    const [row] =
      triggerUpdatedAt === undefined
        ? await scope.call<StartedRow>(isNewest === true ? START_NEWEST : START, valuesOf(start))
        : await scope.call<StartedRow>(START_SCHEDULED, [...valuesOf(start), triggerUpdatedAt])
    return row!
  }

  const startMany = async (starts: readonly Start[]): Promise<ReadonlyMap<Start, StartedRow>> => {
    const versions = [...new Set(starts.map(({ execution }) => execution.versionId))]
    const values = [versions, `[${starts.map(rowOf).join()}]`]
    const scheduled = starts.map(({ execution }) => execution).filter((one) => one.triggerUpdatedAt !== undefined)
    const rows =
      scheduled.length === 0
        ? await scope.call<ManyRow>(START_MANY, values)
        : await scope.call<ManyRow>(START_MANY_SCHEDULED, [
            ...values,
            scheduled.map(({ trigger }) => trigger?.id),
            scheduled.map(({ triggerUpdatedAt }) => triggerUpdatedAt),
          ])
    return new Map(
      rows.flatMap(({ outcome, ...row }, index) =>
        outcome === 'sent' ? [] : [[starts[index]!, { ...row, outcome, repeated_hash: null }]],
      ),
    )
  }
  const { together, alone } = writtenTogether({
    most: MOST_TOGETHER,
    // Starts without a key that was sent wait for no other start.
    keyOf: (start: Start) => start.execution.idempotency?.key ?? start,
    lengthOf: lengthOfStart,
    one: startOne,
    many: startMany,
  })

  return async (execution, ahead) => {
    const start = { execution, ahead, change: changeParameters(ahead?.change ?? {}, ahead?.begun) }
    const isAlone = start.change.error !== null || lengthOfStart(start) > MOST_LENGTH_SENT
    const started = startedOf(await (isAlone ? alone(start) : together(start)), start)
    if (started.kind === 'started' && !isTerminal(started.head.status)) identities.keep(started.head)
    return started
  }
}

const lengthOfStart = ({ execution, change }: Start): number => execution.data.length + lengthOf(change)

const valuesOf = ({ execution, ahead, change }: Start): readonly unknown[] => {
  const { id, versionId, againOf = null, trigger, data, idempotency, createdAt } = execution
  return [
    ...[id, versionId, againOf, trigger?.id ?? null, trigger?.type ?? null],
    ...[data, idempotency?.key ?? null, idempotency?.bodyHash ?? null],
    ...[ahead === undefined ? null : createdAt, change.status, change.turns, change.lastCommand],
    ...[change.startedAt, change.finishedAt, change.label],
    ...[change.error, change.fingerprint, change.searched, change.grams],
    ...[change.entries, change.entryCount, change.opened],
    ...[ahead?.wakeAt ?? null, change.attempts, Math.ceil(ahead?.computeMs ?? 0)],
    change.bytes + Buffer.byteLength(data),
  ]
}

/** Of a start without a failure, as wes_start_many reads it. Entries and opened commands are JSON text already. */
const rowOf = ({ execution, ahead, change }: Start): string => {
  const { id, versionId, isNewest: newest, againOf, trigger, data, idempotency, createdAt } = execution
  const row = {
    ...{ id, version: versionId, newest, again: againOf, trigger: trigger?.id, trigger_type: trigger?.type, data },
    ...{ sent_key: idempotency?.key, sent_hash: idempotency?.bodyHash },
    ...{ created: ahead === undefined ? undefined : createdAt, wake: ahead?.wakeAt },
    ...{ status: change.status, turns: change.turns, command: change.lastCommand },
    ...{ begun: change.startedAt, finished: change.finishedAt, label: change.label },
    ...{ entry_count: change.entryCount, attempts: change.attempts, compute: Math.ceil(ahead?.computeMs ?? 0) },
    bytes: change.bytes + Buffer.byteLength(data),
  }
  return `${JSON.stringify(row).slice(0, -1)},"entries":${change.entries},"opened":${change.opened}}`
}

const startedOf = (row: StartedRow, { execution, ahead }: Start): Started => {
  switch (row.outcome) {
    case 'version_gone':
    case 'trigger_changed':
      return { kind: row.outcome }
    case 'repeated':
      if (row.repeated_hash !== execution.idempotency?.bodyHash) return { kind: 'conflict' }
      return { kind: 'repeated', key: row.k }
    case 'started':
      return { kind: 'started', head: headOf(execution, row, ahead), firstPosition: 2 }
  }
}

const headOf = (execution: NewExecution, row: StartedRow, ahead: Ahead | undefined): ExecutionHead => {
  const { id, projectId, programId, versionId, versionNumber, againOf, trigger } = execution
  const { change = {} } = ahead ?? {}
  return {
    key: row.k,
    ...{ id, projectId, programId, versionId, versionNumber },
    status: change.status ?? 'queued',
    createdAt: row.at,
    ...(change.startedAt !== undefined && { startedAt: change.startedAt }),
    ...(change.finishedAt !== undefined && { finishedAt: change.finishedAt }),
    ...(againOf !== undefined && { againOf }),
    ...(trigger !== undefined && { trigger }),
    ...(change.label !== undefined && { label: change.label }),
    lastPosition: 1 + (change.entries?.length ?? 0),
    turns: change.turns ?? 0,
    lastCommand: change.lastCommand ?? 0,
    cancelDelivered: false,
    buffered: 0,
    bufferedBytes: 0,
  }
}
