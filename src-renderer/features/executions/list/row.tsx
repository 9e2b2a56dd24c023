// One row of the list. Its cells render again only when its Execution, its selection or its focus changes, and not when it
// moves because there are new rows above it.

import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { ExecutionStatus } from '#sdk/index.ts'
import type { ListedExecution } from '../../../api/executions-query.ts'
import { paths } from '../../../paths.ts'
import { classNames } from '../../../ui/class-names.ts'
import type { MenuAnchor } from '../../../ui/menu.tsx'
import type { Column } from './columns.tsx'

export const ROW_PX = 32

/** The actions of rows; always the same object. */
export type RowActs = {
  readonly came: (row: number) => void
  /** `through` also selects all rows from the previously selected one. */
  readonly select: (id: string, through: boolean) => void
  readonly openMenu: (id: string, anchor: MenuAnchor, byKey: boolean) => void
}

type RowProps = CellsProps & {
  readonly index: number
  readonly top: number
}

type CellsProps = {
  readonly execution: ListedExecution
  /** Of a failed one that was run again: the status of its newest run. */
  readonly again: ExecutionStatus | undefined
  /** Tab leads to this row. */
  readonly active: boolean
  readonly selected: boolean
  /** Selected with all that match the filter, so it cannot be cleared alone. */
  readonly fixed: boolean
  readonly menuOpen: boolean
  /** The same array while the same columns are shown; otherwise every row would render again. */
  readonly columns: readonly Column[]
  readonly acts: RowActs
}

export const ROW_CLASSES =
  'absolute inset-x-0 top-0 grid contain-strict items-center border-b border-line grid-cols-(--columns) has-[[data-row-focus]:focus-visible]:outline-2 has-[[data-row-focus]:focus-visible]:-outline-offset-2 has-[[data-row-focus]:focus-visible]:outline-accent'
/** One line of text, as high as the row. */
export const CELL_CLASSES = 'min-w-0 truncate px-2 leading-8'

export const Row = memo(({ index, top, ...cells }: RowProps) => (
  <div
    role="row"
    data-index={index}
    aria-rowindex={index + 2}
    aria-selected={cells.selected}
    onFocus={() => cells.acts.came(index)}
    style={{ transform: `translateY(${top}px)`, height: ROW_PX }}
    className={classNames(
      ROW_CLASSES,
      // Also a row that the pointer has opened or right-clicked, which shows no outline.
      cells.selected ? 'bg-selected' : 'hover:bg-hover has-[[data-row-focus]:focus]:bg-hover',
      cells.execution.gone === true && 'line-through decoration-faint',
    )}
  >
    <Cells {...cells} />
  </div>
))

const Cells = memo(({ execution, again, active, selected, fixed, menuOpen, columns, acts }: CellsProps) => (
  <>
    <div role="gridcell" className={classNames(CELL_CLASSES, 'text-center')}>
      <input
        type="checkbox"
        aria-label={`Select ${execution.id}`}
        checked={selected}
        tabIndex={active ? 0 : -1}
        aria-disabled={fixed || undefined}
        title={fixed ? 'All matches are selected. Clear the selection to choose single rows.' : undefined}
        // The click tells whether Shift was held.
        onChange={() => {}}
        onClick={(event) => acts.select(execution.id, event.shiftKey)}
        // Shift would select the text in between.
        onMouseDown={(event) => event.shiftKey && event.preventDefault()}
        className="size-3.5 align-middle pointer-coarse:size-5 accent-accent"
      />
    </div>
    {columns.map(({ id, look, Cell }) =>
      Cell === undefined ? (
        <div key={id} role="rowheader" className={classNames(CELL_CLASSES, look)}>
          <Link
            {...paths.execution(execution.id)}
            title={execution.id}
            data-row-focus
            tabIndex={active ? 0 : -1}
            className="block truncate font-mono text-xs leading-8 outline-none hover:underline"
          >
            {execution.id}
          </Link>
          {execution.gone === true && <span className="sr-only">, no longer in this list</span>}
        </div>
      ) : (
        <div key={id} role="gridcell" className={classNames(CELL_CLASSES, look)}>
          <Cell execution={execution} again={again} />
        </div>
      ),
    )}
    <div role="gridcell" className={CELL_CLASSES}>
      <button
        type="button"
        aria-label={`Actions for ${execution.id}`}
        aria-haspopup="menu"
        aria-expanded={menuOpen}
        tabIndex={active ? 0 : -1}
        // `detail` counts clicks in a row, and is 0 when a key made the click.
        onClick={(event) => acts.openMenu(execution.id, event.currentTarget, event.detail === 0)}
        className="size-6 pointer-coarse:size-8 rounded-md align-middle text-base leading-6 text-faint hover:bg-selected hover:text-ink"
      >
        <span aria-hidden="true">⋯</span>
      </button>
    </div>
  </>
))

/** A row whose Execution is loading. */
export const PlaceholderRow = ({ index, top }: { readonly index: number; readonly top: number }) => (
  <div
    role="row"
    data-index={index}
    aria-rowindex={index + 2}
    aria-busy="true"
    style={{ transform: `translateY(${top}px)`, height: ROW_PX }}
    className={ROW_CLASSES}
  >
    <div role="gridcell" className="col-span-full flex items-center px-2">
      <span className="sr-only">Loading</span>
      <span aria-hidden="true" className="ml-9 h-2 w-24 rounded bg-hover" />
      <span aria-hidden="true" className="ml-6 h-2 w-56 rounded bg-hover" />
      <span aria-hidden="true" className="ml-6 h-2 w-32 rounded bg-hover" />
    </div>
  </div>
)
