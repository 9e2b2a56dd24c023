// The row that keys act on. It stays with what it shows when rows are added or removed.

import { defaultRangeExtractor, type Range } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'
import { isFocusFree } from '../ui/focus-screen.ts'
import type { Visit } from './visit.ts'

type At = { readonly row: number; readonly id: string | undefined }

export type RovingRow = {
  readonly row: number | undefined
  /** Focuses a row and scrolls it into view. */
  readonly go: (row: number) => void
  /** A row got the focus, by a click or by Tab. */
  readonly came: (row: number) => void
  readonly leave: () => void
}

export type RovingRowOptions = {
  readonly count: number
  readonly idAt: (row: number) => string | undefined
  readonly rowOf: (id: string) => number | undefined
  readonly body: RefObject<HTMLElement | null>
  /** Selects what takes the focus within a row. */
  readonly focusable: string
  readonly scroller: { readonly scrollToIndex: (row: number, options: { readonly align: 'auto' }) => void }
}

/** Rows have `data-index`. The row of an earlier visit takes the focus again, if nothing else has it. */
export const useRovingRow = (
  { visit, at, setAt }: RovingState,
  { count, idAt, rowOf, body, focusable, scroller }: RovingRowOptions,
): RovingRow => {
  const wanted = useRef<'yes' | 'if free' | 'no'>('no')
  const shown = useRef<Visit>(undefined)
  const row = at === undefined ? undefined : whereIs(at, { count, idAt, rowOf })

  // After every render: the row must exist before it can take the focus.
  useLayoutEffect(() => {
    if (shown.current !== visit) {
      shown.current = visit
      wanted.current = 'if free'
    }
    if (wanted.current === 'no' || row === undefined) return
    if (wanted.current === 'if free') {
      if (!isFocusFree()) wanted.current = 'no'
      // Otherwise another row might be focused, which has moved there meanwhile.
      if (at?.id === undefined || idAt(row) !== at.id) return
    }
    const target = body.current?.querySelector<HTMLElement>(`[data-index="${row}"] ${focusable}`)
    if (wanted.current === 'no' || target === null || target === undefined) return
    wanted.current = 'no'
    target.focus({ preventScroll: true })
  })

  return {
    row,
    go: (next) => {
      const clamped = Math.max(0, Math.min(next, count - 1))
      if (count === 0) return
      wanted.current = 'yes'
      setAt({ row: clamped, id: idAt(clamped) })
      scroller.scrollToIndex(clamped, { align: 'auto' })
    },
    came: (next) => {
      if (next !== row) setAt({ row: next, id: idAt(next) })
    },
    leave: () => {
      setAt(undefined)
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
    },
  }
}

export type RovingState = {
  readonly visit: Visit
  readonly at: At | undefined
  readonly setAt: (at: At | undefined) => void
}

/** Kept by the visit. */
export const useRovingState = (visit: Visit): RovingState => {
  const [state, setState] = useState({ visit, at: visit.kept().at })
  return {
    visit,
    at: state.visit === visit ? state.at : visit.kept().at,
    setAt: (at) => {
      visit.keep({ at })
      setState({ visit, at })
    },
  }
}

/** For a virtualizer: this row stays in the document when the user scrolls away. */
export const useRangeWith = (row: number | undefined): ((range: Range) => number[]) =>
  useCallback((range: Range) => withRow(defaultRangeExtractor(range), row, range.count), [row])

const withRow = (rows: number[], row: number | undefined, count: number): number[] => {
  if (row === undefined || row >= count || rows.includes(row)) return rows
  return [...rows, row].toSorted((one, other) => one - other)
}

const whereIs = (at: At, { count, idAt, rowOf }: Pick<RovingRowOptions, 'count' | 'idAt' | 'rowOf'>): number => {
  if (at.id === undefined || idAt(at.row) === at.id) return Math.min(at.row, count - 1)
  return rowOf(at.id) ?? Math.min(at.row, count - 1)
}
