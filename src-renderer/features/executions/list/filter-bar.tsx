// The filter controls and the active filters.

import { useQuery } from '@tanstack/react-query'
import type { ExecutionCounts } from '#sdk/index.ts'
import { programsQuery } from '../../../api/queries.ts'
import { useScope } from '../../../api/scope.ts'
import { FindSelect } from '../../../parts/find-select.tsx'
import { FilterChipList } from './filter-chip-list.tsx'
import { SearchBox } from './search-box.tsx'
import type { ListFilter } from './search-filter.ts'
import { NeedsAttention, StatusToggles } from './status-toggles.tsx'
import { TimeFilter } from './time-filter.tsx'
import type { UrlFilter } from './use-url-filter.ts'

/** `isOfOneProgram`: on the page of a Program. */
export const FilterBar = ({
  filter,
  setFilter,
  counts,
  isOfOneProgram = false,
}: UrlFilter & { readonly counts: ExecutionCounts | undefined; readonly isOfOneProgram?: boolean }) => {
  const toggles = { filter, counts, onFilter: setFilter }
  return (
    <div className="@container flex flex-col gap-1.5 border-b border-line px-5 py-2">
      <div className="flex items-center gap-2 @max-[44rem]:flex-wrap">
        <SearchBox filter={filter} onFilter={(changed) => setFilter(changed, true)} />
        {!isOfOneProgram && <ProgramFilter filter={filter} onFilter={setFilter} />}
        <TimeFilter filter={filter} onFilter={setFilter} />
        {!isOfOneProgram && (
          <div className="max-sm:-ml-2 sm:-mr-2 sm:ml-auto">
            <NeedsAttention {...toggles} />
          </div>
        )}
      </div>
      <div className="-mx-2">
        <StatusToggles {...toggles} />
      </div>
      <FilterChipList filter={filter} onFilter={setFilter} />
    </div>
  )
}

const ANY = ''

const ProgramFilter = ({
  filter,
  onFilter,
}: {
  readonly filter: ListFilter
  readonly onFilter: (filter: ListFilter) => void
}) => {
  const { data: programs = [] } = useQuery(programsQuery(useScope()))
  const { programId, version, ...rest } = filter
  const ids = programs.map(({ id }) => id)
  const known = programId === undefined || ids.includes(programId) ? ids : [programId, ...ids]
  const newest = programs.find(({ id }) => id === programId)?.latestVersion.number ?? 0
  return (
    <>
      <FindSelect
        label="Program"
        one="Program"
        className="max-w-64 min-w-16"
        value={programId ?? ANY}
        options={[{ value: ANY, label: 'Any Program' }, ...known.map((id) => ({ value: id, label: id }))]}
        onChange={(id) => onFilter(id === ANY ? rest : { ...rest, programId: id })}
      />
      {programId !== undefined && (
        <FindSelect
          label="Version"
          one="version"
          className="shrink-0"
          value={version === undefined ? ANY : String(version)}
          options={[{ value: ANY, label: 'Any version' }, ...versionsUpTo(newest, version)]}
          onChange={(number) =>
            onFilter(number === ANY ? { ...rest, programId } : { ...rest, programId, version: Number(number) })
          }
        />
      )}
    </>
  )
}

/** Newest first. */
const versionsUpTo = (newest: number, chosen: number | undefined) => {
  const numbers = Array.from({ length: newest }, (_, index) => newest - index)
  const shown = chosen === undefined || chosen <= newest ? numbers : [chosen, ...numbers]
  return shown.map((number) => ({ value: String(number), label: `Version ${number}` }))
}
