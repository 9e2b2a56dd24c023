import type { ReactTable } from '@tanstack/react-table'
import { flexRender } from '@tanstack/react-table'
import type { ListedExecution } from '../../../api/executions-query.ts'
import { classNames } from '../../../ui/class-names.ts'
import type { Features } from './columns.tsx'
import { CELL_CLASSES } from './row.tsx'
import { isEmpty } from './selection.ts'
import type { SelectionState } from './use-selection.ts'

export const HEADER_PX = 32

export const GridHeader = ({
  table,
  selection: { selection, selectAll, clear },
}: {
  readonly table: Pick<ReactTable<Features, ListedExecution>, 'getHeaderGroups'>
  readonly selection: SelectionState
}) => {
  const chosen = selection.kind === 'all'
  return (
    <div role="rowgroup" className="sticky top-0 z-20">
      <div
        role="row"
        aria-rowindex={1}
        style={{ height: HEADER_PX }}
        className="grid grid-cols-(--columns) items-center border-b border-line bg-sunken text-xs font-medium text-faint"
      >
        <div role="columnheader" className={classNames(CELL_CLASSES, 'text-center')}>
          <input
            type="checkbox"
            aria-label="Select all that match"
            title={chosen ? 'Clear the selection' : 'Select all that match'}
            checked={chosen}
            ref={(box) => {
              if (box !== null) box.indeterminate = !chosen && !isEmpty(selection)
            }}
            onChange={chosen ? clear : selectAll}
            className="size-3.5 align-middle accent-accent"
          />
        </div>
        {table.getHeaderGroups().flatMap(({ headers }) =>
          headers.map((header) => (
            <div key={header.id} role="columnheader" className={CELL_CLASSES}>
              {flexRender(header.column.columnDef.header, header.getContext())}
            </div>
          )),
        )}
        <div role="columnheader" className={CELL_CLASSES}>
          <span className="sr-only">Actions</span>
        </div>
      </div>
    </div>
  )
}
