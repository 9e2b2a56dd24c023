// Restores the scroll position when the user returns to a list; another list starts at its top.

import { useRouterState } from '@tanstack/react-router'
import { type RefObject, useLayoutEffect, useRef } from 'react'
import type { Place } from '../../../api/executions-query.ts'

/** By entry of the browser's history. */
const offsets = new Map<string, number>()
const MOST_KEPT = 50

export type ScrollMemory = { readonly initialOffset: () => number; readonly note: () => void }

export const useScrollMemory = (place: Place, scroller: RefObject<HTMLElement | null>): ScrollMemory => {
  const visit = useRouterState({ select: ({ location }) => location.state.__TSR_key ?? '' })
  const shown = useRef(place)

  useLayoutEffect(() => {
    if (shown.current === place) return
    shown.current = place
    scroller.current?.scrollTo({ top: 0 })
  }, [place, scroller])

  return {
    initialOffset: () => offsets.get(visit) ?? 0,
    note: () => {
      offsets.delete(visit)
      offsets.set(visit, scroller.current?.scrollTop ?? 0)
      const [oldest] = offsets.keys()
      if (offsets.size > MOST_KEPT && oldest !== undefined) offsets.delete(oldest)
    },
  }
}
