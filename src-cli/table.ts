// Renders tables with aligned columns, cut to the terminal's width. Where that is too narrow, a line for each value.

import { type Colour, paint } from './colour.ts'
import { cut, oneLine, padEnd, padStart, textWidth } from './text.ts'

export type Cell = string | { readonly text: string; readonly colour: Colour }

export type Column<Row> = {
  readonly title: string
  readonly cell: (row: Row) => Cell
  readonly align?: 'right'
  /** May be cut when the terminal is too narrow. Ids and numbers are never cut. */
  readonly flexible?: boolean
  /** May be left out when the terminal is too narrow, the lowest number first. */
  readonly leaveOut?: number
  /** Is left out when it is empty in all rows of the first page. */
  readonly needsText?: boolean
  /** For rows that come later. */
  readonly minWidth?: number
}

export type TableStyle = { readonly columns: number | undefined; readonly colour: boolean }

const GAP = 2
const NARROWEST = 8
/** Columns are left out before others are cut to less. */
const LEGIBLE = 12

/** Renders a list page by page: the first one with a title, and the others with the columns of the first, or as records too. */
export const createTable = <Row>(
  columns: readonly Column<Row>[],
  style: TableStyle,
): ((rows: readonly Row[]) => string) => {
  let shown: readonly Column<Row>[] | undefined
  let asRecords = false
  return (rows) => {
    const isFirst = shown === undefined
    const read = (shown ?? columns).map((column) => readColumn(column, rows))
    const full = isFirst ? read.filter(isShown) : read
    const kept = isFirst ? thoseThatFit(full, style.columns) : read
    if (isFirst) asRecords = style.columns !== undefined && widthOf(kept, NARROWEST) > style.columns
    const used = asRecords ? full : kept
    shown = used.map(({ column }) => column)
    return asRecords
      ? renderRecords(used, rows.length, { ...style, isFirst })
      : renderLines(used, rows.length, { ...style, title: isFirst })
  }
}

export const renderTable = <Row>(columns: readonly Column<Row>[], rows: readonly Row[], style: TableStyle): string =>
  createTable(columns, style)(rows)

type Text = { readonly text: string; readonly colour: Colour | undefined }

type ColumnOfTexts<Row> = {
  readonly column: Column<Row>
  readonly texts: readonly Text[]
  /** The width of its widest text. */
  readonly wanted: number
}

const readColumn = <Row>(column: Column<Row>, rows: readonly Row[]): ColumnOfTexts<Row> => {
  const texts = rows.map((row): Text => {
    const cell = column.cell(row)
    return typeof cell === 'string'
      ? { text: oneLine(cell), colour: undefined }
      : { text: oneLine(cell.text), colour: cell.colour }
  })
  return {
    column,
    texts,
    wanted: texts.reduce(
      (widest, { text }) => Math.max(widest, textWidth(text)),
      Math.max(column.title.length, column.minWidth ?? 0),
    ),
  }
}

const isShown = <Row>({ column, texts }: ColumnOfTexts<Row>): boolean =>
  column.needsText !== true || texts.some(({ text }) => text !== '')

/** With flexible columns cut to `flexible`, where they are wider. */
const widthOf = <Row>(columns: readonly ColumnOfTexts<Row>[], flexible: number): number =>
  columns.reduce(
    (sum, { column, wanted }) => sum + (column.flexible === true ? Math.min(wanted, flexible) : wanted) + GAP,
    -GAP,
  )

/** Leaves out columns until the others fit, or no more may be left out. */
const thoseThatFit = <Row>(
  columns: readonly ColumnOfTexts<Row>[],
  available: number | undefined,
): readonly ColumnOfTexts<Row>[] => {
  if (available === undefined || widthOf(columns, LEGIBLE) <= available) return columns
  const [first] = columns
    .filter(({ column }) => column.leaveOut !== undefined)
    .toSorted((a, b) => (a.column.leaveOut ?? 0) - (b.column.leaveOut ?? 0))
  return first === undefined
    ? columns
    : thoseThatFit(
        columns.filter((one) => one !== first),
        available,
      )
}

const renderLines = <Row>(
  columns: readonly ColumnOfTexts<Row>[],
  count: number,
  style: TableStyle & { readonly title: boolean },
): string => {
  const widths = fit(columns, style.columns)

  const line = (textOf: (column: ColumnOfTexts<Row>) => Text | undefined): string =>
    columns
      .map((one, index) => {
        const { text = '', colour } = textOf(one) ?? {}
        const width = widths[index] ?? 0
        const short = cut(text, width)
        const last = index === columns.length - 1
        const padded = one.column.align === 'right' ? padStart(short, width) : last ? short : padEnd(short, width)
        return style.colour && colour !== undefined ? paint(padded, colour) : padded
      })
      .join(' '.repeat(GAP))
      .trimEnd()

  const title = style.title ? [line(({ column }) => ({ text: column.title, colour: 'dim' }))] : []
  const lines = Array.from({ length: count }, (_, row) => line(({ texts }) => texts[row]))
  return [...title, ...lines].map((one) => `${one}\n`).join('')
}

/** The values of each row under each other, with their titles. */
const renderRecords = <Row>(
  columns: readonly ColumnOfTexts<Row>[],
  count: number,
  { columns: available = Infinity, colour, isFirst }: TableStyle & { readonly isFirst: boolean },
): string => {
  const titles = columns.reduce((widest, { column }) => Math.max(widest, column.title.length), 0)
  const room = Math.max(NARROWEST, available - titles - GAP)
  const record = (row: number): string =>
    renderFields(
      columns.map(({ column, texts }): Field => {
        const { text = '', colour: own } = texts[row] ?? {}
        if (text === '') return [column.title, undefined]
        const short = column.flexible === true ? cut(text, room) : text
        return [column.title, own === undefined ? short : { text: short, colour: own }]
      }),
      { colour },
    )
  const records = Array.from({ length: count }, (_, row) => record(row)).join('\n')
  return isFirst || count === 0 ? records : `\n${records}`
}

/** Narrows the widest flexible column until the line fits or no column can be narrowed further. */
const fit = <Row>(columns: readonly ColumnOfTexts<Row>[], available: number | undefined): readonly number[] => {
  const widths = columns.map(({ wanted }) => wanted)
  if (available === undefined) return widths
  let excess = widths.reduce((sum, width) => sum + width + GAP, -GAP) - available
  while (excess > 0) {
    const candidates = columns
      .map(({ column }, index) => ({ index, width: widths[index] ?? 0, flexible: column.flexible === true }))
      .filter(({ flexible, width }) => flexible && width > NARROWEST)
      .sort((a, b) => b.width - a.width)
    const [widest, second] = candidates
    if (widest === undefined) return widths
    const step = Math.max(1, Math.min(excess, widest.width - Math.max(NARROWEST, second?.width ?? NARROWEST)))
    widths[widest.index] = widest.width - step
    excess -= step
  }
  return widths
}

export type Field = readonly [name: string, value: Cell | undefined]

/** Lines of `name  value`. Leaves out fields without a value, and indents values of several lines. */
export const renderFields = (fields: readonly Field[], style: Pick<TableStyle, 'colour'>): string => {
  const present = fields.filter((field): field is readonly [string, Cell] => field[1] !== undefined)
  const width = present.reduce((widest, [name]) => Math.max(widest, name.length), 0)
  return present
    .map(([name, value]) => {
      const { text, colour } = typeof value === 'string' ? { text: value, colour: undefined } : value
      const indented = text.replaceAll('\n', `\n${' '.repeat(width + GAP)}`)
      const label = padEnd(name, width)
      if (!style.colour) return `${label}${' '.repeat(GAP)}${indented}\n`
      return `${paint(label, 'dim')}${' '.repeat(GAP)}${colour === undefined ? indented : paint(indented, colour)}\n`
    })
    .join('')
}
