// Leads from an Execution back to the list, where the user left it.

import { Link, useParams } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { pagesKey, type Place } from '../../../api/executions-query.ts'
import { useScope } from '../../../api/scope.ts'
import { latestVisit } from '../../../parts/visit.ts'
import { paths, PLACE } from '../../../paths.ts'
import { useRememberedFilter } from './remembered-filter.ts'

/** Tells a list from others, for what is kept of its visits. */
export const listOf = (place: Place): string => JSON.stringify(pagesKey(place))

export const BackLink = () => {
  const scope = useScope()
  const filter = useRememberedFilter(useParams({ from: PLACE }))
  return (
    <Link
      {...paths.executions(filter)}
      state={latestVisit(listOf({ scope, filter }))}
      aria-label="Back to the list"
      title="Back to the list"
      className="-mx-2 inline-flex size-7 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink"
    >
      <ArrowLeft size={15} aria-hidden="true" />
    </Link>
  )
}
