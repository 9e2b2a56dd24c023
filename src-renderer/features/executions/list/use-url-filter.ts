import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { paths } from '../../../paths.ts'
import { filterOf, type ListFilter } from './search-filter.ts'

export type UrlFilter = {
  readonly filter: ListFilter
  /** `replace` keeps the browser's current history step, as while the user types. */
  readonly setFilter: (filter: ListFilter, replace?: boolean) => void
}

/** The filter in the address of the Executions screen, or of a Program's list. */
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
