import type { Status } from '../engine/journal.ts'
import { ALL_STATUSES } from '../shared/row-codes.ts'

/** How many Executions there are of each status. */
export type Counts = Record<Status, number>

export const noCounts = (): Counts => Object.fromEntries(ALL_STATUSES.map((status) => [status, 0])) as Counts
