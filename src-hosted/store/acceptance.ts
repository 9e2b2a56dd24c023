// Accepts what callers of one workspace send.

import { actEarly } from '../../src-runtime/engine/act-early.ts'
import { createCancels } from './cancels.ts'
import type { DatabaseClock } from './clock.ts'
import type { IdentitiesOfWorkspace } from './kept-identities.ts'
import { createReceipts } from './receipts.ts'
import { PENDING_COLUMNS, toOpenCommand, type PendingRow } from './rows.ts'
import type { Scope } from './scope.ts'
import { createStarts } from './starts.ts'
import type { Acceptance } from './store.ts'
import { parameters } from './parameters.ts'

type ActedRow = { readonly outcome: 'accepted' | 'changed' | 'gone'; readonly id: string; readonly wake: boolean }

const READ_OPEN = `SELECT ${PENDING_COLUMNS}, wes_now() AS now FROM pending
  WHERE workspace = scope.workspace AND execution = $2 AND command = $3`
const EXISTS = 'SELECT true AS found FROM executions WHERE workspace = scope.workspace AND key = $2'
const ACT_EARLY = `SELECT * FROM wes_act_early(${parameters(6)})`

export const createAcceptance = (
  scope: Scope,
  options: { readonly loadsWoken: boolean; readonly identities: IdentitiesOfWorkspace; readonly clock: DatabaseClock },
): Acceptance => ({
  start: createStarts(scope, options.identities),

  receive: createReceipts(scope, options),

  requestCancel: createCancels(scope),

  actEarly: async (key, action, command) => {
    for (;;) {
      const [found] = await scope.read(EXISTS, [key])
      if (found === undefined) return { kind: 'gone' }
      const [row] = await scope.read<PendingRow & { readonly now: number }>(READ_OPEN, [key, command])
      const acted = actEarly(action, row && toOpenCommand(row), row?.now ?? 0)
      if (acted.kind === 'refused') return acted
      const dueAt = acted.kind === 'due' ? null : acted.open.dueAt
      const seen = [row?.attempt ?? null, row?.due_at ?? null]
      const [written] = await scope.call<ActedRow>(ACT_EARLY, [key, command, ...seen, dueAt])
      const { outcome, id: executionId, wake } = written!
      if (outcome === 'gone') return { kind: 'gone' }
      if (outcome === 'changed') continue
      return { kind: 'accepted', executionId, wake, ...(acted.kind === 'rescheduled' && { open: acted.open }) }
    }
  },
})
