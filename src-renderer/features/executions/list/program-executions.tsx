// The Executions of one Program, for the Program's screen.

import { useMemo } from 'react'
import { useShownList } from './back-link.tsx'
import { NoMatch } from './no-match.tsx'
import { NoExecutions } from './nothing-yet.tsx'
import { ExecutionsTable } from './executions-table.tsx'
import { FilterBar } from './filter-bar.tsx'
import { isFiltered, type ListFilter } from './search-filter.ts'
import { useCounts } from './use-counts.ts'
import { useUrlFilter } from './use-url-filter.ts'

export const ProgramExecutions = ({ programId }: { readonly programId: string }) => {
  const { filter: chosen, setFilter } = useUrlFilter(programId)
  const filter = useMemo((): ListFilter => ({ ...chosen, programId }), [chosen, programId])
  useShownList(chosen, programId)
  const counts = useCounts(filter)
  return (
    <>
      <FilterBar filter={chosen} setFilter={setFilter} counts={counts} isOfOneProgram />
      <ExecutionsTable
        filter={filter}
        hidden={['program']}
        empty={
          isFiltered(chosen) ? <NoMatch filter={chosen} onFilter={setFilter} /> : <NoExecutions programId={programId} />
        }
      />
    </>
  )
}
