// What had the focus may go with the screen that was left: the button that opened a dialog, or a row.

import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { focusScreenIfLost } from '../ui/focus-screen.ts'

/** Gives the focus to a new screen if nothing has it. */
export const useFocusKept = (): void => {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  const last = useRef(path)
  useEffect(() => {
    const isFirst = last.current === undefined
    last.current = path
    // A page that is opened begins at its top.
    if (!isFirst) focusScreenIfLost()
  }, [path])
}
