import { SearchX } from 'lucide-react'
import { LONGEST_LABEL } from '../../../api/executions-query.ts'
import { usePreferences } from '../../../stores/preferences.ts'
import { Button } from '../../../ui/button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { visible } from '../../../ui/visible.tsx'
import { sentenceOf } from './filter-chips.ts'
import type { ListFilter } from './search-filter.ts'
import { useFilterNames } from './use-filter-names.ts'

export const NoMatch = ({
  filter,
  onFilter,
}: {
  readonly filter: ListFilter
  readonly onFilter: (filter: ListFilter) => void
}) => {
  const display = usePreferences((preferences) => preferences.timeDisplay)
  const names = useFilterNames(filter)
  const { q, ...rest } = filter
  return (
    <EmptyState
      icon={<SearchX size={28} />}
      title="No Execution matches"
      actions={
        <>
          {q !== undefined && rest.label === undefined && q.length <= LONGEST_LABEL && (
            <Button onClick={() => onFilter({ ...rest, label: q })}>Search labels instead</Button>
          )}
          <Button onClick={() => onFilter({})}>Clear filters</Button>
        </>
      }
    >
      <p className="break-words">{visible(sentenceOf(filter, display, names))}</p>
      {(filter.q ?? filter.notQ) !== undefined && (
        <p className="mt-2">The search looks at ids and error messages, not at inputs.</p>
      )}
      {filter.unknown !== undefined && (
        <p className="mt-2">
          The list stays empty until the unknown {filter.unknown.length === 1 ? 'filter is' : 'filters are'} removed.
        </p>
      )}
    </EmptyState>
  )
}
