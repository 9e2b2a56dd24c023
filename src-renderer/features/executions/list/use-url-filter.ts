import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { paths } from '../../../paths.ts'
import { filterOf, type ListFilter } from './search-filter.ts'

export type UrlFilter = {
  readonly filter: ListFilter
  /** `replace`: it is the same step of the browser's history, as while somebody types. */
  readonly setFilter: (filter: ListFilter, replace?: boolean) => void
}

/** The filter in the address of the Executions screen, or of a Program's own list. */
export const useUrlFilter = (programId?: string): UrlFilter => {
  const search = useSearch({ strict: false })
  const navigate = useNavigate()
  return {
    filter: useMemo(() => filterOf(search), [search]),
    setFilter: (filter, replace = false) =>
      void (programId === undefined
        ? navigate({ ...paths.executions(filter), replace })
        : navigate({ ...paths.program(programId, { tab: 'executions', ...filter }), replace })),
  }
}
