// Rows of a grid are copied as lines with a tab between two values, as rows of a table are: a spreadsheet reads them.

import { timesIn, withIsoTimes } from './copied-times.ts'

/** Not those with a checkbox or with actions, nor their headers. */
const CELLS = ['gridcell', 'rowheader', 'columnheader']
  .map((role) => `[role="${role}"]:not(:has(input, button, > .sr-only:only-child))`)
  .join()

/** A triple click selects up to the beginning of the next row. */
const hasSelectedText = (row: Element, selected: Range): boolean => {
  const part = document.createRange()
  part.selectNodeContents(row)
  if (row.contains(selected.startContainer)) part.setStart(selected.startContainer, selected.startOffset)
  if (row.contains(selected.endContainer)) part.setEnd(selected.endContainer, selected.endOffset)
  return part.toString().trim() !== ''
}

const lineOf = (row: Element): string =>
  [...row.querySelectorAll<HTMLElement>(CELLS)]
    .map((cell) => withIsoTimes(cell.innerText, timesIn(cell)).trim().replaceAll(/\s+/g, ' '))
    .join('\t')

const onCopy = (event: ClipboardEvent): void => {
  const selection = document.getSelection()
  if (event.defaultPrevented || event.clipboardData === null || selection === null || selection.isCollapsed) return
  const range = selection.getRangeAt(0)
  const { commonAncestorContainer: around } = range
  const grid = (around instanceof Element ? around : around.parentElement)?.closest('[role="grid"]')
  const rows = [...(grid?.querySelectorAll('[role="row"]') ?? [])].filter(
    (row) => selection.containsNode(row, true) && hasSelectedText(row, range),
  )
  // Of a single row, what is selected is copied.
  if (rows.length < 2) return
  event.clipboardData.setData('text/plain', rows.map(lineOf).join('\n'))
  event.preventDefault()
}

/** Call once for the page, before `copyTimesInFull`. */
export const copyRowsAsLines = (): void => document.addEventListener('copy', onCopy)
