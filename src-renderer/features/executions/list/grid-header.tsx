import { classNames } from '../../../ui/class-names.ts'
import type { Column } from './columns.tsx'
import { CELL_CLASSES } from './row.tsx'
import { isEmpty } from './selection.ts'
import type { SelectionState } from './use-selection.ts'

export const HEADER_PX = 32

export const GridHeader = ({
  columns,
  selection: { selection, selectAll, clear },
}: {
  readonly columns: readonly Column[]
  readonly selection: SelectionState
}) => {
  const chosen = selection.kind === 'all'
  return (
    <div role="rowgroup" className="sticky top-0 z-20">
      <div
        role="row"
        aria-rowindex={1}
        style={{ height: HEADER_PX }}
        className="grid grid-cols-(--columns) items-center border-b border-line bg-sunken font-medium text-faint"
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
            className="size-3.5 align-middle pointer-coarse:size-5 accent-accent"
          />
        </div>
        {columns.map(({ id, header }) => (
          // The size of the text belongs to the cells: a track in `ch` has to be as wide in this row as in the others.
          <div key={id} role="columnheader" className={classNames(CELL_CLASSES, 'text-xs')}>
            {header}
          </div>
        ))}
        <div role="columnheader" className={CELL_CLASSES}>
          <span className="sr-only">Actions</span>
        </div>
      </div>
    </div>
  )
}
