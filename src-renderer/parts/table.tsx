import { useState } from 'react'
import { DataTable, type DataTableProps } from './data-table.tsx'
import { LongTable } from './long-table.tsx'

/** More rows take seconds to render on a slow machine, and each second again for the times in them. */
const MOST_AT_ONCE = 100
/** Most rows have one line, and some a button. */
const ROW_PX = 41

/**
 * A table of any number of rows: a DataTable, or a LongTable once there are many. It stays one when rows go: another table
 * would begin at its top, without the focus.
 */
export const Table = <Row,>(props: DataTableProps<Row>) => {
  const [isLong, setLong] = useState(false)
  if (!isLong && props.rows.length > MOST_AT_ONCE) setLong(true)
  return isLong ? <LongTable {...props} rowPx={ROW_PX} /> : <DataTable {...props} />
}
