import { useEffect, useState } from 'react'
import type { MoreRows } from '../api/paged-list.ts'
import { DataTable, type DataTableProps } from './data-table.tsx'
import { LongTable } from './long-table.tsx'
import { RowsFailed } from './rows-failed.tsx'

/** More rows take seconds to render on a slow machine, and each second again for the times in them. */
const MOST_AT_ONCE = 100
/** Most rows have one line, and some a button. */
const ROW_PX = 41

type TableProps<Row> = DataTableProps<Row> & {
  /** Reads further rows as the user scrolls. Undefined: there are none. */
  readonly more?: MoreRows | undefined
}

/**
 * A table of any number of rows: a DataTable, or a LongTable once there are many. It stays one when rows go: another table
 * would begin at its top, without the focus.
 */
export const Table = <Row,>({ more, ...props }: TableProps<Row>) => {
  const [isLong, setLong] = useState(false)
  if (!isLong && props.rows.length > MOST_AT_ONCE) setLong(true)
  useEffect(() => {
    if (!isLong) more?.load()
  })
  return (
    <>
      {isLong ? <LongTable {...props} rowPx={ROW_PX} onNearEnd={more?.load} /> : <DataTable {...props} />}
      {more?.failed !== undefined && <RowsFailed {...more.failed} />}
    </>
  )
}
