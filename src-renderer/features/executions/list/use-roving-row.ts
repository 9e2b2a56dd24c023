// Which row the keyboard is at. It stays with its Execution when rows come and go.

import type { Virtualizer } from '@tanstack/react-virtual'
import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

type At = { readonly row: number; readonly id: string | undefined }

export type RovingRow = {
  readonly row: number | undefined
  /** Puts the focus on a row, and brings that into view. */
  readonly go: (row: number) => void
  /** The focus came to a row by itself. */
  readonly came: (row: number) => void
  readonly leave: () => void
}

export type RovingRowOptions = {
  readonly count: number
  readonly idAt: (row: number) => string | undefined
  readonly rowOf: (id: string) => number | undefined
  readonly body: RefObject<HTMLElement | null>
  readonly scroller: Pick<Virtualizer<HTMLDivElement, HTMLDivElement>, 'scrollToIndex'>
}

/** Rows are marked with `data-index`; what takes the focus in them with `data-row-focus`. */
export const useRovingRow = (
  at: At | undefined,
  setAt: (at: At | undefined) => void,
  options: RovingRowOptions,
): RovingRow => {
  const { count, idAt, rowOf, body, scroller } = options
  const wanted = useRef(false)
  const row = at === undefined ? undefined : whereIs(at, { count, idAt, rowOf })

  // Each time: the row may have to be drawn before it can take the focus.
  useLayoutEffect(() => {
    if (!wanted.current || row === undefined) return
    const target = body.current?.querySelector<HTMLElement>(`[data-index="${row}"] [data-row-focus]`)
    if (target === null || target === undefined) return
    wanted.current = false
    target.focus({ preventScroll: true })
  })

  return {
    row,
    go: (next) => {
      const clamped = Math.max(0, Math.min(next, count - 1))
      if (count === 0) return
      wanted.current = true
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

export const useRovingState = () => useState<At>()

const whereIs = (at: At, { count, idAt, rowOf }: Pick<RovingRowOptions, 'count' | 'idAt' | 'rowOf'>): number => {
  if (at.id === undefined || idAt(at.row) === at.id) return Math.min(at.row, count - 1)
  return rowOf(at.id) ?? Math.min(at.row, count - 1)
}
