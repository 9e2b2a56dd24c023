// The pointer in the grid: a click on a row opens the Execution, as one on its link would. A right click opens a menu.

import { useNavigate } from '@tanstack/react-router'
import { type MouseEvent, useRef, useState } from 'react'
import type { ListedExecution } from '../../../api/executions-query.ts'
import { desktop } from '../../../desktop.ts'
import { paths } from '../../../paths.ts'
import type { MenuAnchor } from '../../../ui/menu.tsx'

/** The desktop app opens no other page. */
const hasTabs = desktop === undefined

type OpenMenu = { readonly id: string; readonly anchor: MenuAnchor; readonly byKey: boolean }

export type RowPointer = {
  /** Whether the pointer is on the rows. */
  readonly isOver: () => boolean
  readonly over: () => void
  readonly left: () => void
  readonly menu: OpenMenu | null
  readonly openMenu: (id: string, anchor: MenuAnchor, byKey: boolean) => void
  readonly closeMenu: () => void
  readonly onClick: (event: MouseEvent<HTMLElement>) => void
  /** Of the middle button. */
  readonly onMouseDown: (event: MouseEvent<HTMLElement>) => void
  readonly onAuxClick: (event: MouseEvent<HTMLElement>) => void
  readonly onContextMenu: (event: MouseEvent<HTMLElement>) => void
}

export const useRowPointer = (
  executionAt: (row: number | undefined) => ListedExecution | undefined,
  came: (row: number) => void,
): RowPointer => {
  const navigate = useNavigate()
  const [menu, setMenu] = useState<OpenMenu | null>(null)
  const isOver = useRef(false)
  return {
    isOver: () => isOver.current,
    over: () => {
      isOver.current = true
    },
    left: () => {
      isOver.current = false
    },
    menu,
    openMenu: (id, anchor, byKey) => setMenu({ id, anchor, byKey }),
    closeMenu: () => setMenu(null),
    onClick: (event) => {
      const row = rowOf(event)
      const id = executionAt(row)?.id
      if (row === undefined || id === undefined) return
      if (hasTabs && (event.ctrlKey || event.metaKey)) return openTab(event, row)
      came(row)
      void navigate(paths.execution(id))
    },
    // On Windows the button would begin to scroll, and the browser would report no click.
    onMouseDown: (event) => {
      if (hasTabs && event.button === 1 && rowOf(event) !== undefined) event.preventDefault()
    },
    onAuxClick: (event) => {
      const row = rowOf(event)
      if (hasTabs && event.button === 1 && row !== undefined) openTab(event, row)
    },
    onContextMenu: (event) => {
      const row = rowOf(event)
      const id = executionAt(row)?.id
      if (id === undefined) return
      event.preventDefault()
      // So that the focus returns to the row when the menu, or a dialog that it opens, is closed.
      linkOf(event, row)?.focus({ preventScroll: true })
      const spot = new DOMRect(event.clientX, event.clientY, 0, 0)
      setMenu({ id, anchor: { getBoundingClientRect: () => spot }, byKey: false })
    },
  }
}

const linkOf = ({ currentTarget }: MouseEvent<HTMLElement>, row: number | undefined): HTMLElement | null =>
  currentTarget.querySelector(`[data-index="${row}"] [data-row-focus]`)

/** Beside this one, and in the background: the browser decides, as for a click on the link itself. */
const openTab = (event: MouseEvent<HTMLElement>, row: number): void => {
  const { ctrlKey, metaKey, button } = event
  const modifiers = button === 1 ? { ctrlKey: true, metaKey: true } : { ctrlKey, metaKey }
  const click = new window.MouseEvent('click', { ...modifiers, bubbles: true, cancelable: true })
  linkOf(event, row)?.dispatchEvent(click)
}

/** undefined for a click on a link, button or checkbox within the row, and for one that ends a selection of text. */
const rowOf = ({ target }: MouseEvent<HTMLElement>): number | undefined => {
  if (!(target instanceof Element) || target.closest('a, button, input') !== null) return undefined
  const row = target.closest<HTMLElement>('[data-index]')
  return row === null || getSelection()?.isCollapsed === false ? undefined : Number(row.dataset['index'])
}
