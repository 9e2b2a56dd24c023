import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { filterOf, type ListFilter, type Search, searchWith } from './search-filter.ts'

export type UrlFilter = {
  readonly filter: ListFilter
  /** `replace`: it is the same step of the browser's history, as while somebody types. */
  readonly setFilter: (filter: ListFilter, replace?: boolean) => void
}

/** The filter that the address of this screen has; whatever else the address says is left alone. */
export const useUrlFilter = (): UrlFilter => {
  const search: Search = useSearch({ strict: false })
  const navigate = useNavigate()
  return {
    filter: useMemo(() => filterOf(search), [search]),
    setFilter: (filter, replace = false) =>
      void navigate({ to: '.', search: (before) => searchWith(before, filter) as never, replace }),
  }
}
