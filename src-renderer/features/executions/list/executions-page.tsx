// The Executions screen.

import { useNavigate, useParams } from '@tanstack/react-router'
import { Suspense, useEffect, useEffectEvent, useState } from 'react'
import { plural } from '../../../parts/format.ts'
import { loadedAhead } from '../../../parts/loaded-when-shown.ts'
import { StartExecution } from '../../../parts/start-execution.tsx'
import { paths, PLACE } from '../../../paths.ts'
import { PageHeader } from '../../../ui/page-header.tsx'
import { useShownList } from './back-link.tsx'
import { ExecutionsTable } from './executions-table.tsx'
import { FilterBar } from './filter-bar.tsx'
import { useRememberFilter } from './remembered-filter.ts'
import { executionIdIn, isFiltered, textOf } from './search-filter.ts'
import { useCounts, useTotal } from './use-counts.ts'
import { useUrlFilter } from './use-url-filter.ts'

const NoMatch = loadedAhead(async () => (await import('./no-match.tsx')).NoMatch)
const NothingYet = loadedAhead(async () => (await import('./nothing-yet.tsx')).NothingYet)

export const ExecutionsPage = () => {
  const { filter, setFilter } = useUrlFilter()
  const { total, settled } = useTotal(filter)
  const counts = useCounts(filter)
  useRememberFilter(useParams({ from: PLACE }), filter)
  useShownList(filter)
  usePastedIds()
  return (
    <>
      <PageHeader title="Executions" actions={<StartExecution programId={filter.programId} />}>
        {/* Has its room before the count is read: on a phone, the button beside it needs a line of its own then. */}
        <p className="tabular min-h-5 min-w-32 text-soft beside-data">
          {total !== undefined && howMany(total, isFiltered(filter))}
        </p>
        <Announcement about={textOf(filter)} text={settled && total !== undefined ? howMany(total, true) : undefined} />
      </PageHeader>
      <FilterBar filter={filter} setFilter={setFilter} counts={counts} />
      <ExecutionsTable
        filter={filter}
        onFilter={setFilter}
        empty={
          <Suspense>{isFiltered(filter) ? <NoMatch filter={filter} onFilter={setFilter} /> : <NothingYet />}</Suspense>
        }
      />
    </>
  )
}

const howMany = (total: number, filtered: boolean): string =>
  filtered ? `${plural(total, 'Execution')} ${total === 1 ? 'matches' : 'match'}` : plural(total, 'Execution')

/** Announces the count to screen readers once per filter, not with each change of the count. */
const Announcement = ({ about, text }: { readonly about: string; readonly text: string | undefined }) => {
  const [told, setTold] = useState({ about, text: '' })
  if (told.about !== about && text !== undefined) setTold({ about, text })
  return (
    <p role="status" className="sr-only">
      {told.text}
    </p>
  )
}

/** Pasting an id outside a text field opens its Execution. */
const usePastedIds = (): void => {
  const navigate = useNavigate()
  const paste = useEffectEvent((event: ClipboardEvent) => {
    if (event.target instanceof Element && event.target.closest('input, textarea, [contenteditable]') !== null) return
    const id = executionIdIn(event.clipboardData?.getData('text/plain') ?? '')
    if (id === undefined) return
    event.preventDefault()
    void navigate(paths.execution(id))
  })
  useEffect(() => {
    const listen = (event: ClipboardEvent) => paste(event)
    document.addEventListener('paste', listen)
    return () => document.removeEventListener('paste', listen)
  }, [])
}
