// Where a window is too small for a screen, the page itself scrolls. Another screen begins at its top; Back and Forward return
// to where it was left.

import { useRouterState } from '@tanstack/react-router'
import { type RefObject, type UIEvent, useLayoutEffect, useRef } from 'react'
import { visitOf } from '../parts/visit.ts'

/** `scrollers`: one of them scrolls, depending on the window. Answers what they call when they scroll. */
export const usePageScroll = (...scrollers: readonly RefObject<HTMLElement | null>[]) => {
  // Of the screen that is shown: while another one loads, the address is already that one's.
  const { pathname, state } = useRouterState({
    select: ({ resolvedLocation, location }) => resolvedLocation ?? location,
  })
  const visit = visitOf(state, 'page')
  const shown = useRef<string>(undefined)
  const offset = useRef(0)

  useLayoutEffect(() => {
    const kept = visit.kept().offset ?? 0
    if (shown.current === pathname) {
      // Only the parameters of the address have changed: the screen stays, in another entry of the history.
      if (offset.current !== kept) visit.keep({ offset: offset.current })
      return
    }
    shown.current = pathname
    offset.current = kept
    for (const scroller of scrollers) scroller.current?.scrollTo({ top: kept })
  })

  return ({ currentTarget }: UIEvent<HTMLElement>) => {
    offset.current = currentTarget.scrollTop
    visit.keep({ offset: offset.current })
  }
}
