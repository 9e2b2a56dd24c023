// What of an Execution is looked at, as the URL says it: tab, selected entry, filters.

import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

type Value = string | readonly string[] | undefined

export type View = {
  /** The first value of a parameter. */
  readonly one: (name: string) => string | undefined
  readonly all: (name: string) => readonly string[]
  /** undefined takes a parameter away. `push`: the browser's Back comes back here. */
  readonly change: (patch: Readonly<Record<string, Value>>, push?: 'push') => void
}

export const useView = (): View => {
  const search: Readonly<Record<string, Value>> = useSearch({ strict: false })
  const navigate = useNavigate()
  const all = (name: string): readonly string[] => {
    const value = search[name]
    if (value === undefined) return []
    return typeof value === 'string' ? [value] : value
  }
  const change = useCallback<View['change']>(
    (patch, push) =>
      void navigate({
        to: '.',
        search: (before: Readonly<Record<string, Value>>) => ({ ...before, ...patch }),
        replace: push === undefined,
      }),
    [navigate],
  )
  return { all, one: (name) => all(name)[0], change }
}

/** The same selection for every tab: the position of an entry. */
export const useSelectEntry = () => {
  const { change } = useView()
  return useCallback(
    (position: number | undefined) => change({ entry: position === undefined ? undefined : String(position) }),
    [change],
  )
}
