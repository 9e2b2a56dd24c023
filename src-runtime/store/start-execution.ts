// Starts an Execution: writes its row, its first entry and its idempotency key.

import type Database from 'better-sqlite3'
import type { ExecutionHead } from '../engine/execution-state.ts'
import { statusCodes } from '../shared/row-codes.ts'
import type { Plan } from './shared-transaction.ts'
import type { KeyTable } from './idempotency.ts'
import { timeOfId } from '../shared/id-time.ts'
import { storedPreview } from './input-preview.ts'
import type { AppendEntry } from './journal.ts'
import { prepare } from './prepare.ts'
import type { RecentExecutions } from './recent-executions.ts'
import type { StartWork } from './store.ts'
import type { NewExecution, StartOutcome } from '../ports/executions.ts'
import type { Timeline } from './timeline.ts'
import { touchedExecution } from './touched.ts'
import type { VersionRef, VersionRefs } from './version-refs.ts'

export const createStartExecution = (options: {
  readonly db: Database.Database
  readonly startKeys: KeyTable
  readonly versions: VersionRefs
  readonly timeline: Timeline
  readonly appendEntry: AppendEntry
  readonly recent: RecentExecutions
  /** The newest key. Keys are counted here, so that none is assigned twice. */
  readonly lastKey: number
}): ((execution: NewExecution, ahead?: (head: ExecutionHead) => StartWork | void) => Plan<StartOutcome>) => {
  const { db, startKeys, versions, timeline, appendEntry, recent } = options
  const queued = statusCodes.toCode('queued')
  const insert = prepare(
    db,
    `INSERT INTO executions (key, id, version, status, created_at, cancel_delivered, last_position, turns, last_command,
       buffered, again_of, input_preview)
     VALUES (?, ?, ?, ${queued}, ?, 0, 1, 0, 0, 0, ?, ?)`,
  )
  let lastKey = options.lastKey

  return (execution, ahead) => () => {
    const version = versions.byId(execution.versionId)
    if (version === undefined) return { result: { kind: 'version_gone' } }
    const earlier = execution.idempotency && startKeys.get(version.projectKey, execution.idempotency.key)
    if (earlier !== undefined) {
      const isSame = earlier.bodyHash === execution.idempotency?.bodyHash
      return { result: isSame ? { kind: 'repeated', key: earlier.target } : { kind: 'conflict' } }
    }

    return {
      write: () => {
        const key = ++lastKey
        const { createdAt, data, againOf = null } = execution
        insert.run(key, execution.id, version.key, createdAt, againOf, storedPreview(data))
        appendEntry(key, 1, { at: createdAt, type: 'execution_started', data })
        timeline.note(key, createdAt, timeOfId(execution.id))
        if (execution.idempotency !== undefined) startKeys.keep(version.projectKey, execution.idempotency, key)
        const head = headOf(key, execution, version)
        recent.keep({ head, input: data })
        return {
          result: { kind: 'started', head },
          touched: touchedExecution(head),
          moved: { version: version.key, to: 'queued' },
          ...(ahead !== undefined && { ahead: () => ahead(head) }),
        }
      },
    }
  }
}

const headOf = (key: number, execution: NewExecution, version: VersionRef): ExecutionHead => ({
  key,
  id: execution.id,
  projectId: version.projectId,
  programId: version.programId,
  versionId: version.id,
  versionNumber: version.number,
  status: 'queued',
  createdAt: execution.createdAt,
  ...(execution.againOf === undefined ? {} : { againOf: execution.againOf }),
  lastPosition: 1,
  turns: 0,
  lastCommand: 0,
  cancelDelivered: false,
  buffered: 0,
  bufferedBytes: 0,
})
