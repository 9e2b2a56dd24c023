// Restores the scroll position when the user returns to a list; another list starts at its top.

import type { VirtualItem } from '@tanstack/react-virtual'
import { type RefObject, useLayoutEffect, useRef } from 'react'
import type { Visit } from './visit.ts'

export type ScrollMemory = {
  readonly initialOffset: () => number
  /** The measured rows, of a list whose rows differ in height. */
  readonly rows: () => VirtualItem[]
  readonly note: (rows?: VirtualItem[]) => void
}

/** `whole`: all rows are rendered at once. Otherwise a virtualizer takes `initialOffset`. */
export const useScrollMemory = (
  visit: Visit,
  scroller: RefObject<HTMLElement | null>,
  { whole = false }: { readonly whole?: boolean } = {},
): ScrollMemory => {
  const shown = useRef(whole ? undefined : visit)

  useLayoutEffect(() => {
    if (shown.current === visit) return
    shown.current = visit
    scroller.current?.scrollTo({ top: visit.kept().offset ?? 0 })
  }, [visit, scroller])

  return {
    initialOffset: () => visit.kept().offset ?? 0,
    rows: () => visit.kept().rows ?? [],
    note: (rows = []) => visit.keep({ offset: scroller.current?.scrollTop ?? 0, rows }),
  }
}
