// The selected rows, until the filter changes. They are selected again when the user returns to the list.

import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { failureOf } from '../../../api/failures.ts'
import type { Place } from '../../../api/executions-query.ts'
import { count } from '../../../parts/format.ts'
import type { Visit } from '../../../parts/visit.ts'
import { notifyFault } from '../../../ui/toasts.tsx'
import { placeOf, rowAt } from './extent.ts'
import { isSelected, NOTHING, type Selection, toggled, withRange } from './selection.ts'
import { readPages } from './use-list.ts'

/** The longest range that two clicks select. For more, select all matches. */
const LONGEST_RANGE = 10_000

export type SelectionState = {
  readonly selection: Selection
  /** `through` also selects all rows from the previously selected one. */
  readonly select: (row: number, id: string, through?: boolean) => void
  readonly selectAll: () => void
  readonly clear: () => void
}

type Chosen = { readonly row: number; readonly id: string }
type Kept = { readonly visit: Visit; readonly selection: Selection; readonly last: Chosen | undefined }

export const useSelection = (place: Place, visit: Visit): SelectionState => {
  const queries = useQueryClient()
  const before = useMemo(() => ({ visit, selection: selectionOf(visit), last: undefined }), [visit])
  const [kept, setKept] = useState<Kept>(before)
  const { selection, last } = kept.visit === visit ? kept : before
  const keep = (next: Selection, chosen?: Chosen) => setKept({ visit, selection: next, last: chosen })
  useEffect(() => visit.keep({ selection: selection.kind === 'all' ? 'all' : [...selection.ids] }), [visit, selection])

  const selectThrough = async (from: Chosen, to: Chosen): Promise<void> => {
    try {
      const ids = await idsBetween(queries, place, from, to)
      setKept((now) => {
        // The filter has changed meanwhile, or the selection was cleared.
        if (now.visit !== visit || now.last === undefined) return now
        return { visit, selection: withRange(now.selection, ids, !isSelected(selection, to.id)), last: to }
      })
    } catch (error) {
      notifyFault('The rows in between were not selected', {
        detail: failureOf(error).message,
        place: place.scope.connection,
      })
    }
  }

  return {
    selection,
    select: (row, id, through = false) => {
      if (selection.kind === 'all') return
      const to = { row, id }
      if (through && last !== undefined && last.id !== id) void selectThrough(last, to)
      else keep(toggled(selection, id), to)
    },
    selectAll: () => keep({ kind: 'all' }),
    clear: () => keep(NOTHING),
  }
}

const selectionOf = (visit: Visit): Selection => {
  const { selection = [] } = visit.kept()
  return selection === 'all' ? { kind: 'all' } : { kind: 'rows', ids: new Set(selection) }
}

/** The ids of a range, both ends included. Some may be on pages that are not loaded. */
const idsBetween = async (
  queries: QueryClient,
  place: Place,
  one: Chosen,
  other: Chosen,
): Promise<readonly string[]> => {
  const first = Math.min(one.row, other.row)
  const last = Math.max(one.row, other.row)
  if (last - first > LONGEST_RANGE) {
    throw new Error(`The range has more than ${count(LONGEST_RANGE)} rows. Filter the list and select all matches.`)
  }
  const { extent, pages } = await readPages(queries, place, { first, last })
  // Rows may have moved since the user selected them.
  const places = [one, other].map(({ row, id }) => placeOf(extent, pages, id) ?? row)
  const [from, to] = [Math.min(...places), Math.max(...places)]
  return Array.from({ length: to - from + 1 }, (_, at) => rowAt(extent, pages, from + at)?.id).filter(
    (id) => id !== undefined,
  )
}
