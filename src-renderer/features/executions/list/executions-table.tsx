// The live list of Executions that match a filter, with actions on one or many. Used by this screen and by others, each
// with its own filter.

import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { pagesKey, type Place } from '../../../api/executions-query.ts'
import { programsQuery } from '../../../api/queries.ts'
import { useScope } from '../../../api/scope.ts'
import { QueryFault } from '../../../parts/query-fault.tsx'
import { QueryLoading } from '../../../parts/query-loading.tsx'
import { useHold } from '../../../parts/use-hold.ts'
import { useVisit } from '../../../parts/visit.ts'
import { listOf } from './back-link.tsx'
import { BulkBar } from './bulk-bar.tsx'
import type { ColumnId } from './columns.tsx'
import type { Extent } from './extent.ts'
import { Grid } from './grid.tsx'
import type { ListFilter } from './search-filter.ts'
import { useTotal } from './use-counts.ts'
import { type FirstPage, useExtent, useFirstPage } from './use-list.ts'
import { useSelection } from './use-selection.ts'

export type ExecutionsTableProps = {
  /** Must be the same object while its content is the same. */
  readonly filter: ListFilter
  /** Shown when nothing matches. */
  readonly empty: ReactNode
  readonly hidden?: readonly ColumnId[]
  /** Lets rows narrow the filter. */
  readonly onFilter?: (filter: ListFilter) => void
}

const NONE_HIDDEN: readonly ColumnId[] = []

export const ExecutionsTable = (props: ExecutionsTableProps) =>
  props.filter.unknown === undefined ? <KnownTable {...props} /> : props.empty

const KnownTable = ({ filter, empty, hidden = NONE_HIDDEN, onFilter }: ExecutionsTableProps) => {
  const scope = useScope()
  const place = useMemo(() => ({ scope, filter }), [scope, filter])
  const extent = useExtent(place)
  const first = useFirstPage(place)
  // Their names say how wide a column is.
  const awaitsPrograms = useHold(useQuery(programsQuery(scope)).isPending)
  const { total } = useTotal(filter)
  const visit = useVisit(listOf(place))
  const selection = useSelection(place, visit)
  return (
    <>
      <Grid
        place={place}
        visit={visit}
        filter={filter}
        extent={extent}
        first={first}
        total={total}
        hidden={hidden}
        selection={selection}
        onFilter={onFilter}
        instead={insteadOf(place, awaitsPrograms, first, extent, empty)}
      />
      <BulkBar place={place} filter={filter} selection={selection} total={total} />
    </>
  )
}

/** Replaces the rows: they are loading, they could not be loaded, or there are none. */
const insteadOf = (
  place: Place,
  awaitsPrograms: boolean,
  first: FirstPage,
  extent: Extent,
  empty: ReactNode,
): ReactNode => {
  const retry = () => void first.refetch()
  if (first.data === undefined && first.isError) {
    return <QueryFault what="the Executions" error={first.error} onRetry={retry} />
  }
  if (first.data === undefined || awaitsPrograms) {
    return <QueryLoading what="the Executions" queryKey={[...pagesKey(place), null]} />
  }
  return extent.end === 0 && !first.isPlaceholderData ? empty : undefined
}
