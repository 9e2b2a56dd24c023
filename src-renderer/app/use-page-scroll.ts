// Where a window is too small for a screen, the page itself scrolls. Another screen begins at its top; Back and Forward return
// to where it was left.

import { useRouterState } from '@tanstack/react-router'
import { type RefObject, type UIEvent, useLayoutEffect, useRef } from 'react'
import { visitOf } from '../parts/visit.ts'

/** `scrollers`: one of them scrolls, depending on the window. Answers what they call when they scroll. */
export const usePageScroll = (...scrollers: readonly RefObject<HTMLElement | null>[]) => {
  // Of the screen that is shown: while another one loads, the address is already that one's.
  const pathname = useRouterState({
    select: ({ resolvedLocation, location }) => (resolvedLocation ?? location).pathname,
  })
  const entry = useRouterState({ select: ({ resolvedLocation, location }) => (resolvedLocation ?? location).state })
  const visit = visitOf(entry, 'page')
  const shown = useRef<string>(undefined)

  useLayoutEffect(() => {
    // Not when only the parameters of the address change: the screen stays.
    if (shown.current === pathname) return
    shown.current = pathname
    for (const scroller of scrollers) scroller.current?.scrollTo({ top: visit.kept().offset ?? 0 })
  })

  return ({ currentTarget }: UIEvent<HTMLElement>) => visit.keep({ offset: currentTarget.scrollTop })
}
