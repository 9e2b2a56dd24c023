// Reads and changes the view of an Execution in the address.

import { type HistoryState, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useRef } from 'react'
import { PLACE } from '../../../paths.ts'
import type { ExecutionView } from './view.ts'

declare module '@tanstack/history' {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only an interface merges with the library's
  interface HistoryState {
    /** Whether the step before this one is the same view without the open journal entry. */
    opensEntry?: boolean | undefined
  }
}

const ROUTE = `${PLACE}/executions/$id` as const

export type View = {
  readonly params: ExecutionView
  /** undefined removes a parameter. `push` adds a step to the browser's history. */
  readonly change: (patch: ExecutionView, push?: 'push') => void
}

export const useView = (): View => {
  const params = useSearch({ from: ROUTE })
  const navigate = useNavigate({ from: ROUTE })
  const change = useCallback<View['change']>(
    (patch, push) =>
      void navigate({
        to: '.',
        search: (before) => ({ ...before, ...patch }),
        replace: push === undefined,
        // What else changes, such as a filter, going back would undo.
        state: ({ opensEntry = false }: HistoryState) => ({
          opensEntry: patch.entry !== undefined && (push !== undefined || opensEntry),
        }),
      }),
    [navigate],
  )
  return { params, change }
}

/**
 * Selects an entry, by position, for every tab. The first one opens a pane, which is a step of the browser's history: Back and the
 * pane's own buttons close it alike. Others replace it.
 */
export const useSelectEntry = () => {
  const { params, change } = useView()
  const { entry } = params
  const router = useRouter()
  /** Going back takes a moment, in which a second Escape must not go back further. */
  const isLeaving = useRef(false)
  useEffect(() => void (isLeaving.current = false), [entry])
  return useCallback(
    (position: number | undefined) => {
      if (isLeaving.current) return
      if (position !== undefined) change({ entry: position }, entry === undefined ? 'push' : undefined)
      else if (router.latestLocation.state.opensEntry !== true) change({ entry: undefined })
      else {
        isLeaving.current = true
        router.history.back()
      }
    },
    [change, entry, router],
  )
}
