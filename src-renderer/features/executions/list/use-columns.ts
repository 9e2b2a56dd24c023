import { useQuery } from '@tanstack/react-query'
import { useTable } from '@tanstack/react-table'
import type { ListedExecution } from '../../../api/executions-query.ts'
import { programsQuery } from '../../../api/queries.ts'
import { useScope } from '../../../api/scope.ts'
import { type ColumnId, COLUMNS, features, PROGRAM_TRACK, visibleAt } from './columns.tsx'

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
  const programTrack = useProgramTrack()
  const tracks = table
    .getVisibleLeafColumns()
    .map(({ id, columnDef }) => (id === 'program' ? programTrack : (columnDef.meta?.track ?? '1fr')))
  return {
    table,
    rows: new Map(table.getRowModel().rows.map((row) => [row.id, row])),
    tracks: [SELECT_TRACK, ...tracks, ACTIONS_TRACK].join(' '),
  }
}

/**
 * Wide enough for the longest name of the project, up to a fifth of the table; not for the rows in sight, which come and
 * go.
 */
const useProgramTrack = (): string => {
  const { data: programs = [] } = useQuery(programsQuery(useScope()))
  const longest = Math.max(0, ...programs.map(({ id }) => id.length))
  return `minmax(${PROGRAM_TRACK}, min(${longest}ch + 1rem, 20%))`
}
