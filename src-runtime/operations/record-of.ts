import { ApiError } from '../contract/errors.ts'
import type { ExecutionHead } from '../engine/execution-state.ts'
import type { ExecutionRecord, Store } from '../store/store.ts'

/** The whole row of an Execution whose head is at hand. It may have been deleted while a request waited. */
export const recordOf = (store: Store, { id, key }: Pick<ExecutionHead, 'id' | 'key'>): ExecutionRecord => {
  const record = store.executions.record(key)
  if (record === undefined) throw new ApiError('execution_not_found', `There is no Execution "${id}" any more.`)
  return record
}
