// The Executions of one Program, for the Program's screen.

import { useMemo } from 'react'
import { useShownList } from './back-link.tsx'
import { NoExecutions, NoMatch } from './empty-list.tsx'
import { ExecutionsTable } from './executions-table.tsx'
import { FilterChipList } from './filter-chip-list.tsx'
import { SearchBox } from './search-box.tsx'
import { isFiltered, type ListFilter } from './search-filter.ts'
import { StatusToggles } from './status-toggles.tsx'
import { TimeFilter } from './time-filter.tsx'
import { useCounts } from './use-counts.ts'
import { useUrlFilter } from './use-url-filter.ts'

export const ProgramExecutions = ({ programId }: { readonly programId: string }) => {
  const { filter: chosen, setFilter } = useUrlFilter(programId)
  const filter = useMemo((): ListFilter => ({ ...chosen, programId }), [chosen, programId])
  useShownList(chosen, programId)
  const counts = useCounts(filter)
  const { q, ...rest } = chosen
  return (
    <>
      <div className="flex flex-col gap-1.5 border-b border-line px-5 py-2">
        <div className="flex flex-wrap items-center gap-2">
          <SearchBox text={q ?? ''} onText={(text) => setFilter(text === '' ? rest : { ...rest, q: text }, true)} />
          <TimeFilter filter={chosen} onFilter={setFilter} />
        </div>
        <div className="-mx-2">
          <StatusToggles filter={chosen} counts={counts} onFilter={setFilter} />
        </div>
        <FilterChipList filter={chosen} onFilter={setFilter} />
      </div>
      <ExecutionsTable
        filter={filter}
        hidden={['program']}
        empty={
          isFiltered(chosen) ? (
            <NoMatch filter={chosen} onClear={() => setFilter({})} />
          ) : (
            <NoExecutions programId={programId} />
          )
        }
      />
    </>
  )
}
