// For lists whose rows can be removed by a button in them: with the row, the focus would be gone, and the keyboard would begin
// again at the top of the page.

import { type FocusEvent, type RefObject, useLayoutEffect, useRef } from 'react'
import { focusScreen } from '../ui/focus-screen.ts'

type Focused = { readonly element: HTMLElement; readonly row: number; readonly nth: number }

const FOCUSABLE = 'a[href], button'

/**
 * `list`: its children are the rows. The focus goes to the same button of the row that took the place of the removed one, or
 * to the screen when no row is left.
 */
export const useFocusAfterRemoval = (list: RefObject<HTMLElement | null>) => {
  const focused = useRef<Focused>(undefined)
  useLayoutEffect(() => {
    if (focused.current?.element.isConnected !== false) return
    const { row, nth } = focused.current
    focused.current = undefined
    const rows = [...(list.current?.children ?? [])]
    const buttons = rows[Math.min(row, rows.length - 1)]?.querySelectorAll<HTMLElement>(FOCUSABLE) ?? []
    const next = buttons[Math.min(nth, buttons.length - 1)]
    if (next === undefined) focusScreen()
    else next.focus()
  })
  return {
    onFocus: ({ target }: FocusEvent<HTMLElement>) => {
      const rows = [...(list.current?.children ?? [])]
      const row = rows.findIndex((one) => one.contains(target))
      const nth = [...(rows[row]?.querySelectorAll(FOCUSABLE) ?? [])].indexOf(target)
      focused.current = row === -1 || nth === -1 ? undefined : { element: target, row, nth }
    },
    onBlur: () => {
      focused.current = undefined
    },
  }
}
