import type { Bulk } from '../contract/inspection-models.ts'
import type { ExecutionFilter } from './overview.ts'

/** Executions that a bulk concerns: those that are named, or all that match when it begins. */
export type BulkTarget =
  | {
      readonly kind: 'ids'
      readonly ids: readonly string[]
      /** When given, only those of this project are found. */
      readonly projectId: string | undefined
    }
  /** The oldest first: what is run again is so in the order in which it was started. */
  | { readonly kind: 'filter'; readonly filter: ExecutionFilter }

export type BulkStarted =
  | { readonly kind: 'started'; readonly bulk: Bulk }
  /** More than `BULK_LIMIT`. */
  | { readonly kind: 'too_many_matched' }
  | { readonly kind: 'too_many_under_way' }

/**
 * Acts on many Executions in the background, on each through the operation `actOnOne`. What is acknowledged of one
 * Execution is durable; whether the bulk itself survives a restart is the home's choice.
 */
export type Bulks = {
  start(bulk: {
    readonly id: string
    readonly action: Bulk['action']
    readonly target: BulkTarget
  }): Promise<BulkStarted>
  get(id: string): Bulk | undefined
  /** Repeatable. */
  stop(id: string): Bulk | undefined
}
