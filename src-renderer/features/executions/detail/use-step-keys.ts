import type { RefObject } from 'react'
import { useShortcut } from '../../../parts/shortcuts.ts'

/** J and K move as the arrow keys do, and give a grid the focus: screen readers say the row, and the grid's other keys work. */
export const useStepKeys = (grid: RefObject<HTMLElement | null>, walk: (key: string) => void): void => {
  const step = (key: string) => {
    grid.current?.focus({ preventScroll: true })
    walk(key)
  }
  useShortcut('next', () => step('ArrowDown'))
  useShortcut('previous', () => step('ArrowUp'))
}
