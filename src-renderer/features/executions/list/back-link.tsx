// Leads from an Execution back to the list that was shown last, where the user left it.

import { Link, useParams } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useEffect } from 'react'
import { pagesKey, type Place } from '../../../api/executions-query.ts'
import { type Scope, useScope } from '../../../api/scope.ts'
import { latestVisit } from '../../../parts/visit.ts'
import { paths, PLACE } from '../../../paths.ts'
import { useRememberedFilter } from './remembered-filter.ts'
import type { ListFilter } from './search-filter.ts'

/** Tells a list from others, for what is kept of its visits. */
export const listOf = (place: Place): string => JSON.stringify(pagesKey(place))

/** The list on a Program's page that was shown last, unless the Executions screen was. */
let shownLast: { readonly scope: Scope; readonly programId: string; readonly filter: ListFilter } | undefined

/** `programId`: of the Program whose page shows the list. */
export const useShownList = (filter: ListFilter, programId?: string): void => {
  const scope = useScope()
  useEffect(() => {
    shownLast = programId === undefined ? undefined : { scope, programId, filter }
  }, [scope, programId, filter])
}

/** Address of the list that was shown last, where the user left it. `inProgram`: where that was the list of a Program's page. */
export const useBackToList = () => {
  const scope = useScope()
  const remembered = useRememberedFilter(useParams({ from: PLACE }))
  const all = { ...paths.executions(remembered), state: latestVisit(listOf({ scope, filter: remembered })) }
  if (shownLast?.scope !== scope) return { all, inProgram: undefined }
  const { programId, filter } = shownLast
  const state = latestVisit(listOf({ scope, filter: { ...filter, programId } }))
  return { all, inProgram: { ...paths.program(programId, { tab: 'executions', ...filter }), state } }
}

export const BackLink = () => {
  const { all, inProgram } = useBackToList()
  const look = {
    'aria-label': 'Back to the list',
    title: 'Back to the list',
    // The address of an Execution begins with the list's: without this, the link would be marked as the current page.
    activeOptions: { exact: true },
    className:
      '-mx-2 inline-flex size-7 pointer-coarse:size-9 shrink-0 items-center justify-center rounded-md text-soft hover:bg-hover hover:text-ink',
    children: <ArrowLeft size={15} />,
  }
  return inProgram === undefined ? <Link {...all} {...look} /> : <Link {...inProgram} {...look} />
}
