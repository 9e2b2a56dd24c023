// The keys of the grid. Shortcuts that the help lists work wherever the focus is; the others only while it is in a row.

import type { KeyboardEvent } from 'react'
import type { ListedExecution } from '../../../api/executions-query.ts'
import { useShortcut } from '../../../parts/shortcuts.ts'
import { indexAfter } from '../index-after.ts'
import { isEmpty } from './selection.ts'
import type { RovingRow } from '../../../parts/use-roving-row.ts'
import type { SelectionState } from './use-selection.ts'

export const useRowKeys = (options: {
  readonly roving: RovingRow
  readonly selection: SelectionState
  readonly executionAt: (row: number | undefined) => ListedExecution | undefined
  readonly count: number
  /** The visible rows. */
  readonly range: { readonly first: number; readonly last: number }
}): ((event: KeyboardEvent) => void) => {
  const { roving, selection, executionAt, count, range } = options
  const step = (by: number) => roving.go(roving.row === undefined ? range.first : roving.row + by)
  const toggle = (through = false) => {
    const id = executionAt(roving.row)?.id
    if (roving.row !== undefined && id !== undefined) selection.select(roving.row, id, through)
  }
  useShortcut('next', () => step(1))
  useShortcut('previous', () => step(-1))
  useShortcut('select', () => toggle())
  useShortcut('leave', () => {
    if (isEmpty(selection.selection)) roving.leave()
    else selection.clear()
  })

  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === ' ' && event.target instanceof Element && event.target.matches('[data-row-focus]')) {
      event.preventDefault()
      return toggle(event.shiftKey)
    }
    const pageRows = Math.max(1, range.last - range.first - 1)
    const row = indexAfter(event.key, roving.row ?? range.first, count, pageRows)
    if (row === undefined) return
    event.preventDefault()
    roving.go(row)
  }
}
