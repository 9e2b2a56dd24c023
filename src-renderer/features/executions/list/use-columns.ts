import { useTable } from '@tanstack/react-table'
import type { ListedExecution } from '../../../api/executions-query.ts'
import { type ColumnId, COLUMNS, features, visibleAt } from './columns.tsx'

const SELECT_TRACK = '2.25rem'
const ACTIONS_TRACK = '2.5rem'

/** The table of those rows that exist, with the columns that there is room for, and these as the tracks of a CSS grid. */
export const useColumns = (executions: ListedExecution[], widthPx: number, hidden: readonly ColumnId[]) => {
  const table = useTable({
    features,
    columns: COLUMNS,
    data: executions,
    getRowId: ({ id }) => id,
    state: { columnVisibility: visibleAt(widthPx, hidden) },
  })
  const tracks = table.getVisibleLeafColumns().map(({ columnDef }) => columnDef.meta?.track ?? '1fr')
  return {
    table,
    rows: new Map(table.getRowModel().rows.map((row) => [row.id, row])),
    tracks: [SELECT_TRACK, ...tracks, ACTIONS_TRACK].join(' '),
  }
}
