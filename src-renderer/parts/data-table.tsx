// A plain table for up to a few hundred rows; `Table` is for any number. Each row is one link; j and k move between rows.

import { type ComponentProps, memo, type ReactNode, useRef } from 'react'
import { classNames } from '../ui/class-names.ts'
import { useFocusAfterRemoval } from './use-focus-after-removal.ts'
import { useRovingState } from './use-roving-row.ts'
import { useRowKeys } from './use-row-keys.ts'
import { useScrollMemory } from './use-scroll-memory.ts'
import { useVisit } from './visit.ts'

export type Column<Row> = {
  readonly header: string
  /** Shows the header to screen readers only, for columns of actions. */
  readonly silent?: boolean
  readonly align?: 'right'
  /** Tailwind classes of the column's width; the widest column may omit them. */
  readonly width?: string
  /** Left out where the table is narrower than this. */
  readonly from?: keyof typeof HIDDEN_BELOW
  readonly cell: (row: Row) => ReactNode
}

/** `small`: left out on the narrowest phones; `medium`: on all phones; `wide`: also beside the navigation of a tablet; `widest`: also on a page of 1,024 pixels. */
const HIDDEN_BELOW = {
  small: '@max-sm:hidden',
  medium: '@max-lg:hidden',
  wide: '@max-3xl:hidden',
  widest: '@max-4xl:hidden',
} as const

/** The space at the edge for the last column that is left, where those after it are left out. */
const EDGE_BELOW = {
  small: '@max-sm:pr-5',
  medium: '@max-lg:pr-5',
  wide: '@max-3xl:pr-5',
  widest: '@max-4xl:pr-5',
} as const
const SIZES = ['small', 'medium', 'wide', 'widest'] as const

const edgeOf = (after: readonly Pick<Column<never>, 'from'>[]): string | undefined => {
  const narrowest = SIZES.find((size) => after.some(({ from }) => from === size))
  return narrowest === undefined || after.some(({ from }) => from === undefined) ? undefined : EDGE_BELOW[narrowest]
}

export type DataTableProps<Row> = {
  /** The table's accessible name. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
}

/** The link of a row: it covers the row, and j, k and Enter reach it. */
export const ROW_LINK =
  'rounded-sm font-medium after:absolute after:inset-0 hover:underline focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent'

/** A name in one line, unless it is very long: then it leaves room for other columns. */
export const NAME_IN_TABLE =
  'inline-block w-max max-w-64 align-top @max-5xl:max-w-40 @max-lg:max-w-28 @max-sm:max-w-24 in-[.table-fixed]:max-w-full! wrap-anywhere'

/** For links and buttons above the row's link, so that they receive clicks. */
export const ABOVE_ROW_LINK = 'relative z-10'

export const DataTable = <Row,>({ label, columns, rows, rowKey }: DataTableProps<Row>) => {
  const scroller = useRef<HTMLDivElement>(null)
  const body = useRef<HTMLTableSectionElement>(null)
  const visit = useVisit(label)
  const memory = useScrollMemory(visit, scroller, { whole: true })
  const onFocus = useRowKeys(useRovingState(visit), {
    rows,
    rowKey,
    body,
    scroller: { scrollToIndex: (index) => body.current?.rows[index]?.scrollIntoView({ block: 'nearest' }) },
    first: () => 0,
  })

  return (
    <div
      ref={scroller}
      onScroll={() => memory.note()}
      className="@container printed-whole clear-of-notice min-h-0 flex-1 overflow-auto"
    >
      <table aria-label={label} className="w-full border-collapse">
        <TableHead columns={columns} />
        <tbody ref={body} {...useFocusAfterRemoval(body)}>
          {rows.map((row, index) => (
            <TableRow key={rowKey(row)} data-index={index} columns={columns} row={row} onFocus={() => onFocus(index)} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

type TableHeadProps<Row> = ComponentProps<'tr'> & { readonly columns: readonly Column<Row>[] }

export const TableHead = <Row,>({ columns, ...attributes }: TableHeadProps<Row>) => (
  <thead>
    <tr {...attributes}>
      {columns.map((column, index) => (
        <th
          key={column.header}
          scope="col"
          className={classNames(
            'sticky top-0 z-20 h-8 border-b border-line bg-sunken px-3 text-left text-xs font-medium whitespace-nowrap text-faint first:pl-5 last:pr-5',
            column.align === 'right' && 'text-right',
            column.from !== undefined && HIDDEN_BELOW[column.from],
            edgeOf(columns.slice(index + 1)),
            column.width,
          )}
        >
          <span className={classNames(column.silent === true && 'sr-only')}>{column.header}</span>
        </th>
      ))}
    </tr>
  </thead>
)

type TableRowProps<Row> = ComponentProps<'tr'> & { readonly columns: readonly Column<Row>[]; readonly row: Row }

export const TableRow = <Row,>({ columns, row, ...attributes }: TableRowProps<Row>) => (
  <tr {...attributes} className="relative scroll-mt-8 border-b border-line hover:bg-hover">
    <Cells columns={columns} row={row} />
  </tr>
)

type CellsProps<Row> = { readonly columns: readonly Column<Row>[]; readonly row: Row }

const CellsOfRow = <Row,>({ columns, row }: CellsProps<Row>): ReactNode =>
  columns.map((column, index) => {
    const Cell = index === 0 ? 'th' : 'td'
    return (
      <Cell
        key={column.header}
        scope={index === 0 ? 'row' : undefined}
        className={classNames(
          'h-9 px-3 py-1.5 text-left font-normal first:pl-5 last:pr-5',
          column.align === 'right' && 'tabular text-right',
          column.from !== undefined && HIDDEN_BELOW[column.from],
          edgeOf(columns.slice(index + 1)),
        )}
      >
        {column.cell(row)}
      </Cell>
    )
  })

/** Those of rows that stay in view are not rendered again while others come and go. */
const Cells = memo(CellsOfRow) as typeof CellsOfRow
