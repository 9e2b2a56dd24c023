// Restores the scroll position when the user returns to a list; another list starts at its top.

import { useRouterState } from '@tanstack/react-router'
import type { VirtualItem } from '@tanstack/react-virtual'
import { type RefObject, useLayoutEffect, useRef } from 'react'

type Kept = { readonly offset: number; readonly rows: VirtualItem[] }

/** By entry of the browser's history. */
const visits = new Map<string, Kept>()
const MOST_KEPT = 50

export type ScrollMemory = {
  readonly initialOffset: () => number
  /** The measured rows, of a list whose rows differ in height. */
  readonly rows: () => VirtualItem[]
  readonly note: (rows?: VirtualItem[]) => void
}

/** `place`: which list is shown, compared by identity. */
export const useScrollMemory = (place: unknown, scroller: RefObject<HTMLElement | null>): ScrollMemory => {
  const visit = useRouterState({ select: ({ location }) => location.state.__TSR_key ?? '' })
  const shown = useRef(place)

  useLayoutEffect(() => {
    if (shown.current === place) return
    shown.current = place
    scroller.current?.scrollTo({ top: 0 })
  }, [place, scroller])

  return {
    initialOffset: () => visits.get(visit)?.offset ?? 0,
    rows: () => visits.get(visit)?.rows ?? [],
    note: (rows = []) => {
      visits.delete(visit)
      visits.set(visit, { offset: scroller.current?.scrollTop ?? 0, rows })
      const [oldest] = visits.keys()
      if (visits.size > MOST_KEPT && oldest !== undefined) visits.delete(oldest)
    },
  }
}
