// Reads and changes what of an Execution is looked at, in the address.

import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { PLACE } from '../../../paths.ts'
import type { ExecutionView } from './view.ts'

const ROUTE = `${PLACE}/executions/$id` as const

export type View = {
  readonly params: ExecutionView
  /** undefined takes a parameter away. `push`: the browser's Back comes back here. */
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

/** The same selection for every tab: the position of an entry. */
export const useSelectEntry = () => {
  const { change } = useView()
  return useCallback((position: number | undefined) => change({ entry: position }), [change])
}
