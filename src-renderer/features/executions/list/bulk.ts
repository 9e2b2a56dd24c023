// Texts of the bulk actions, and which of a filter's Executions each applies to. Pure.

import type { Bulk, BulkAction, ExecutionStatus } from '#sdk/index.ts'
import { isTerminal } from '../../../api/capabilities.ts'
import { count, plural } from '../../../parts/format.ts'
import type { FollowedBulk } from '../../../stores/followed-bulks.ts'
import { type ListFilter, STATUSES } from './search-filter.ts'

type Words = {
  /** The label of its button. */
  readonly button: string
  readonly verb: string
  readonly doing: string
  readonly done: string
  readonly possible: (status: ExecutionStatus) => boolean
  readonly impossible: string
  readonly meaning: string
}

export const BULK_WORDS: Readonly<Record<BulkAction, Words>> = {
  cancel: {
    button: 'Cancel executions',
    verb: 'Cancel',
    doing: 'Cancelling',
    done: 'Cancelled',
    possible: (status) => !isTerminal(status) && status !== 'cancelling',
    impossible: 'had ended before',
    meaning: 'Each Program has up to 30 seconds to clean up. Executions that have ended are not changed.',
  },
  'run-again': {
    button: 'Run again',
    verb: 'Run again',
    doing: 'Starting again',
    done: 'Started again',
    possible: () => true,
    impossible: 'could not be started',
    meaning: 'Starts the newest version with the same input for each. The selected ones are not changed.',
  },
  delete: {
    button: 'Delete',
    verb: 'Delete',
    doing: 'Deleting',
    done: 'Deleted',
    possible: isTerminal,
    impossible: 'had not ended, or were gone',
    meaning: 'Deletes them and their histories. This cannot be undone. Executions that have not ended are kept.',
  },
}

/** Narrows a filter to the Executions that the action applies to; undefined when there are none. */
export const possibleIn = (filter: ListFilter, action: BulkAction): ListFilter | undefined => {
  const { status = STATUSES, notStatus = [], ...rest } = filter
  const possible = status.filter((one) => !notStatus.includes(one) && BULK_WORDS[action].possible(one))
  if (possible.length === 0) return undefined
  return possible.length === STATUSES.length ? rest : { ...rest, status: possible }
}

export type BulkQuestion = { readonly title: string; readonly text: string; readonly action: string }

/** `matched` is undefined where the service cannot count. */
export const questionFor = (action: BulkAction, matched: number | undefined): BulkQuestion => {
  const { verb, meaning } = BULK_WORDS[action]
  const what = matched === undefined ? 'all Executions that match' : plural(matched, 'Execution')
  return { title: `${verb} ${what}?`, text: meaning, action: `${verb} ${what}` }
}

/** `Cancelling: 120 of 300`, `Cancelled 298 of 300; 2 had ended before`. */
export const progressOf = ({ action, status, matched, done, failed }: Bulk): string => {
  const { doing, done: wasDone, impossible } = BULK_WORDS[action]
  const not = failed === 0 ? '' : `; ${count(failed)} ${impossible}`
  if (status === 'running') return `${doing}: ${count(done + failed)} of ${count(matched)}${not}`
  const left = matched - done - failed
  const stopped = status === 'stopped' && left > 0 ? `; stopped before the other ${count(left)}` : ''
  return `${wasDone} ${count(done)} of ${count(matched)}${not}${stopped}`
}

/** The filter of the Executions that the action has made what they are; undefined for none. Others may have done the same since. */
export const outcomeOf = (
  { action, done }: Pick<Bulk, 'action' | 'done'>,
  { startedAt, programId }: Omit<FollowedBulk, 'id'>,
): ListFilter | undefined => {
  if (done === 0 || action === 'delete') return undefined
  const ofProgram = programId === undefined ? {} : { programId }
  return action === 'cancel'
    ? { status: ['cancelled'], ...ofProgram, finishedAfter: startedAt }
    : { ...ofProgram, createdAfter: startedAt }
}
