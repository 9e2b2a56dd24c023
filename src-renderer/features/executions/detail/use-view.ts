// Reads and changes the view of an Execution in the address.

import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { PLACE } from '../../../paths.ts'
import type { ExecutionView } from './view.ts'

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
      void navigate({ to: '.', search: (before) => ({ ...before, ...patch }), replace: push === undefined }),
    [navigate],
  )
  return { params, change }
}

/** Selects an entry, by position, for every tab. */
export const useSelectEntry = () => {
  const { change } = useView()
  return useCallback((position: number | undefined) => change({ entry: position }), [change])
}
