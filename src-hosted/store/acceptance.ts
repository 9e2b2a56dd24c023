// Accepts what callers of one workspace send.

import { actEarly } from '../../src-runtime/engine/act-early.ts'
import { createCancels } from './cancels.ts'
import type { DatabaseClock } from './clock.ts'
import type { Database } from './database.ts'
import type { IdentitiesOfWorkspace } from './kept-identities.ts'
import { createReceipts } from './receipts.ts'
import { PENDING_COLUMNS, toOpenCommand, type PendingRow } from './rows.ts'
import { scopedRead } from './scoped-read.ts'
import { createStarts } from './starts.ts'
import type { Acceptance } from './store.ts'
import { parameters } from './parameters.ts'

type ActedRow = { readonly outcome: 'accepted' | 'changed' | 'gone'; readonly id: string; readonly wake: boolean }

const READ_OPEN = scopedRead(
  `SELECT ${PENDING_COLUMNS}, wes_now() AS now FROM pending
   WHERE workspace = scope.workspace AND execution = $2 AND command = $3`,
)
const EXISTS = scopedRead('SELECT true AS found FROM executions WHERE workspace = scope.workspace AND key = $2')
const ACT_EARLY = `SELECT * FROM wes_act_early(${parameters(6)})`

export const createAcceptance = (
  db: Database,
  workspaceKey: () => Promise<number>,
  options: { readonly loadsWoken: boolean; readonly identities: IdentitiesOfWorkspace; readonly clock: DatabaseClock },
): Acceptance => ({
  start: createStarts(db, workspaceKey, options.identities),

  receive: createReceipts(db, workspaceKey, options),

  requestCancel: createCancels(db, workspaceKey),

  actEarly: async (key, action, command) => {
    const workspace = await workspaceKey()
    for (;;) {
      const [found] = await db.run(EXISTS, [workspace, key])
      if (found === undefined) return { kind: 'gone' }
      const [row] = await db.run<PendingRow & { readonly now: number }>(READ_OPEN, [workspace, key, command])
      const acted = actEarly(action, row && toOpenCommand(row), row?.now ?? 0)
      if (acted.kind === 'refused') return acted
      const dueAt = acted.kind === 'due' ? null : acted.open.dueAt
      const seen = [row?.attempt ?? null, row?.due_at ?? null]
      const [written] = await db.run<ActedRow>(ACT_EARLY, [...[workspace, key, command], ...[...seen, dueAt]])
      const { outcome, id: executionId, wake } = written!
      if (outcome === 'gone') return { kind: 'gone' }
      if (outcome === 'changed') continue
      return { kind: 'accepted', executionId, wake, ...(acted.kind === 'rescheduled' && { open: acted.open }) }
    }
  },
})
