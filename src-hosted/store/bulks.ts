// Bulks of one workspace. They are stored with their items, so any process can continue them.

import type { Bulk } from '../../src-runtime/contract/inspection-models.ts'
import { BULK_LIMIT } from '../../src-runtime/contract/limits.ts'
import type { Bulks } from '../../src-runtime/ports/bulks.ts'
import type { Eventually } from '../../src-runtime/ports/eventually.ts'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import type { Database } from './database.ts'
import type { FindKeys } from './find-keys.ts'
import { parameters } from './parameters.ts'
import { storedNothing } from './postgres-errors.ts'
import type { Scope } from './scope.ts'
import type { BulkWork } from './store.ts'
import { toStored } from './stored-text.ts'

const GET = `SELECT b.id, b.action, b.status, b.matched, b.done, b.failed FROM bulks b
  WHERE b.workspace = scope.workspace AND b.id = $2`
const CREATE = `SELECT wes_create_bulk(${parameters(6)}) AS is_created`
const STOP = 'SELECT wes_stop_bulk($1, $2)'
const TAKE = 'SELECT * FROM wes_take_bulk($1, $2, $3)'
const EXTEND = `UPDATE bulks SET free_at = greatest(free_at, wes_now() + $4::bigint)
  WHERE id = $1 AND status = 'running' AND taken >= $2 AND taken < $2 + $3::int`
const END_LEASES = `UPDATE bulks SET free_at = wes_now() WHERE status = 'running' AND free_at > wes_now()`
const SETTLE = `SELECT wes_settle_bulk(${parameters(4)})`
const DELETE = 'SELECT wes_delete_items($1, $2, $3)'

export const createBulkStore = (options: {
  readonly scope: Scope
  readonly findKeys: FindKeys
  readonly now: () => number
}): Eventually<Bulks> => {
  const { scope, findKeys, now } = options

  const get = async (id: string): Promise<Bulk | undefined> => (await scope.read<Bulk>(GET, [id]))[0]

  const create = async (id: string, action: Bulk['action'], matched: Matched): ReturnType<Bulks['start']> => {
    const { projectId = null, keys = null, ids = null } = matched
    const [row] = await scope.call<{ is_created: boolean }>(CREATE, [id, action, projectId, keys, ids])
    const bulk = row!.is_created ? await get(id) : undefined
    return bulk === undefined ? { kind: 'too_many_under_way' } : { kind: 'started', bulk }
  }

  return {
    get,
    start: async ({ id, action, target }) => {
      if (target.kind === 'ids')
        return create(id, action, { projectId: target.projectId, ids: [...new Set(target.ids)].map(toStored) })
      const found = await findKeys(target.filter, now(), BULK_LIMIT + 1)
      const rows = (await found?.read<{ key: number }>((keys) => keys)) ?? []
      if (rows.length > BULK_LIMIT) return { kind: 'too_many_matched' }
      return create(id, action, { keys: rows.map(({ key }) => key).toReversed() })
    },
    stop: async (id) => {
      if ((await get(id)) === undefined) return undefined
      await scope.call(STOP, [id])
      return get(id)
    },
  }
}

type Matched = {
  readonly projectId?: string | undefined
  readonly keys?: readonly number[]
  readonly ids?: readonly string[]
}

type TakenRow = {
  readonly workspace_id: string
  readonly bulk_id: string
  readonly action: Bulk['action']
  readonly project_id: string | null
  readonly number: number
  readonly execution_id: string | null
}

type OnFault = Parameters<BulkWork['delete']>[1]

export const createBulkWork = (db: Database): BulkWork => {
  const settle = (bulkId: string, from: number, done: number, failed: number) =>
    db.run(SETTLE, [bulkId, from, done, failed])

  /** Fewer at once, if their journals are so large that the statement takes too long, or one has a fault. */
  const deleteItems = async (
    bulkId: string,
    from: number,
    to: number,
    onFault: OnFault,
    size = to - from,
  ): Promise<void> => {
    for (let next = from; next < to; next += size) {
      const end = Math.min(to, next + size)
      try {
        await db.run(DELETE, [bulkId, next, end])
      } catch (error) {
        if (!storedNothing(error)) throw error
        if (size > 1) await deleteItems(bulkId, next, end, onFault, Math.ceil(size / 8))
        else if (error instanceof StoreUnavailableError) throw error
        else {
          onFault(error)
          await settle(bulkId, next, 0, 1)
        }
      }
    }
  }
  return {
    take: async ({ limit, leaseMs, busy }) => {
      const rows = await db.run<TakenRow>(TAKE, [limit, leaseMs, busy])
      const first = rows[0]
      if (first === undefined) return undefined
      return {
        workspaceId: first.workspace_id,
        bulkId: first.bulk_id,
        action: first.action,
        projectId: first.project_id ?? undefined,
        firstNumber: first.number,
        executionIds: rows.map(({ execution_id }) => execution_id ?? undefined),
      }
    },
    extend: async ({ bulkId, firstNumber, executionIds }, leaseMs) => {
      await db.run(EXTEND, [bulkId, firstNumber, executionIds.length, leaseMs])
    },
    endLeases: async () => {
      await db.run(END_LEASES, [])
    },
    settle: async (taken, { done, failed }) => {
      await settle(taken.bulkId, taken.firstNumber, done, failed)
    },
    delete: ({ bulkId, firstNumber, executionIds }, onFault) =>
      deleteItems(bulkId, firstNumber, firstNumber + executionIds.length, onFault),
  }
}
