// Starts, follows and stops bulk actions, which the service carries out.

import { useState } from 'react'
import type { BulkAction, BulkRequest } from '#sdk/index.ts'
import { failureOf } from '../../../api/failures.ts'
import { absoluteTimes } from '../../../api/relative-times.ts'
import type { Scope } from '../../../api/scope.ts'
import { earliestServiceNow, serviceNow } from '../../../api/service-clock.ts'
import { notifyBulkFailure, notifyFailure, STOP_AGAIN } from '../../../parts/notify-failure.ts'
import { useConfirm } from '../../../parts/use-confirm.ts'
import { followBulk, type FollowedBulk, forgetBulk, useFollowedBulk } from '../../../stores/followed-bulks.ts'
import { notify } from '../../../ui/toasts.tsx'
import { BULK_WORDS, possibleIn, questionFor } from './bulk.ts'
import { type ListFilter, STATUSES } from './search-filter.ts'
import type { Selection } from './selection.ts'
import { sumOf } from './use-counts.ts'
import type { SelectionState } from './use-selection.ts'

type BulkState = {
  /** The bulk action being followed, if any. */
  readonly followed: FollowedBulk | undefined
  readonly starting: boolean
  readonly start: (action: BulkAction) => Promise<void>
  readonly stop: () => void
  readonly forget: () => void
}

export const useBulk = (scope: Scope, filter: ListFilter, { selection, clear }: SelectionState): BulkState => {
  const followed = useFollowedBulk(scope)
  const [starting, setStarting] = useState(false)
  const confirm = useConfirm()

  const start = async (action: BulkAction): Promise<void> => {
    const request = requestFor(action, filter, selection, serviceNow(scope.connection))
    if (request === undefined || starting) return
    setStarting(true)
    let isSent = false
    try {
      const matched = await countOf(scope, request)
      if (matched === 0) {
        return notify(`None can be ${BULK_WORDS[action].done.toLowerCase()} any more`, { place: scope.connection })
      }
      const question = (counted: number | undefined) => questionFor(action, counted)
      const recount = async () => question(await countOf(scope, request))
      const isLive = request.filter !== undefined && matched !== undefined
      const danger = action !== 'run-again'
      if (!(await confirm({ ...question(matched), danger, ...(isLive && { recount }) }))) return
      isSent = true
      const startedAt = new Date(earliestServiceNow(scope.connection)).toISOString()
      const { id } = await scope.client.startBulk(request)
      followBulk(scope, { id, startedAt, programId: filter.programId })
      clear()
    } catch (error) {
      const nothing = `Nothing was ${BULK_WORDS[action].done.toLowerCase()}`
      notifyBulkFailure(failureOf(error), nothing, isSent, scope.connection)
    } finally {
      setStarting(false)
    }
  }
  const stop = () => {
    if (followed === undefined) return
    scope.client
      .stopBulk(followed.id)
      .catch((error: unknown) =>
        notifyFailure(failureOf(error), 'The bulk action was not stopped', STOP_AGAIN, scope.connection),
      )
  }

  return { followed, starting, start, stop, forget: () => forgetBulk(scope) }
}

const requestFor = (
  action: BulkAction,
  filter: ListFilter,
  selection: Selection,
  now: number,
): BulkRequest | undefined => {
  // Ids sort by creation. In that order, as the service acts on what a filter matches.
  if (selection.kind === 'rows') return { action, ids: [...selection.ids].toSorted() }
  const possible = possibleIn(filter, action)
  return possible === undefined ? undefined : { action, filter: absoluteTimes(possible, now) }
}

/** undefined when the service does not count. */
const countOf = async (scope: Scope, request: BulkRequest): Promise<number | undefined> => {
  if (request.filter === undefined) return request.ids.length
  try {
    return sumOf(await scope.client.countExecutions(request.filter), STATUSES)
  } catch (error) {
    if (failureOf(error).kind === 'offline') throw error
    return undefined
  }
}
