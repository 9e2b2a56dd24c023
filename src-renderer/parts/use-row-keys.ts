// j and k in a table: they focus the link of the next and the previous row.

import type { RefObject } from 'react'
import { useShortcut } from './shortcuts.ts'
import { type RovingRowOptions, type RovingState, useRovingRow } from './use-roving-row.ts'

type RowKeysOptions<Row> = {
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  readonly body: RefObject<HTMLElement | null>
  readonly scroller: RovingRowOptions['scroller']
  /** The row that they begin with. */
  readonly first: () => number
}

/** Answers what a row calls with its index when it has the focus. */
export const useRowKeys = <Row>(
  state: RovingState,
  { rows, rowKey, body, scroller, first }: RowKeysOptions<Row>,
): ((row: number) => void) => {
  const roving = useRovingRow(state, {
    count: rows.length,
    idAt: (index) => (index < rows.length ? rowKey(rows[index]!) : undefined),
    rowOf: (id) => {
      const index = rows.findIndex((row) => rowKey(row) === id)
      return index === -1 ? undefined : index
    },
    body,
    focusable: '> :first-child a',
    scroller,
  })
  const walk = (step: 1 | -1) => {
    const from = body.current?.contains(document.activeElement) === true ? roving.row : undefined
    roving.go(from === undefined ? first() : from + step)
  }
  useShortcut('next', () => walk(1))
  useShortcut('previous', () => walk(-1))
  return roving.came
}
