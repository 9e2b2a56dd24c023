// Renders tables with aligned columns, cut to the terminal's width.

import { type Colour, paint } from './colour.ts'
import { cut, oneLine, padEnd, padStart, textWidth } from './text.ts'

export type Cell = string | { readonly text: string; readonly colour: Colour }

export type Column<Row> = {
  readonly title: string
  readonly cell: (row: Row) => Cell
  readonly align?: 'right'
  /** May be cut when the terminal is too narrow. Ids and numbers are never cut. */
  readonly flexible?: boolean
}

export type TableStyle = { readonly columns: number | undefined; readonly colour: boolean }

const GAP = 2
const NARROWEST = 8

/** `title: false` is for the pages after the first. */
export const renderTable = <Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  style: TableStyle & { readonly title?: boolean },
): string => {
  const cells = rows.map((row) =>
    columns.map((column) => {
      const cell = column.cell(row)
      return typeof cell === 'string'
        ? { text: oneLine(cell), colour: undefined }
        : { text: oneLine(cell.text), colour: cell.colour }
    }),
  )
  const wanted = columns.map((column, index) =>
    cells.reduce((widest, row) => Math.max(widest, textWidth(row[index]?.text ?? '')), column.title.length),
  )
  const widths = fit(columns, wanted, style.columns)

  const line = (texts: readonly { readonly text: string; readonly colour: Colour | undefined }[]): string =>
    texts
      .map(({ text, colour }, index) => {
        const width = widths[index] ?? 0
        const short = cut(text, width)
        const last = index === texts.length - 1
        const padded = columns[index]?.align === 'right' ? padStart(short, width) : last ? short : padEnd(short, width)
        return style.colour && colour !== undefined ? paint(padded, colour) : padded
      })
      .join(' '.repeat(GAP))
      .trimEnd()

  const title = columns.map((column) => ({ text: column.title, colour: 'dim' as const }))
  const lines = style.title === false ? cells : [title, ...cells]
  return lines.map((one) => `${line(one)}\n`).join('')
}

/** Narrows the widest flexible column until the line fits or no column can be narrowed further. */
const fit = <Row>(
  columns: readonly Column<Row>[],
  wanted: readonly number[],
  available: number | undefined,
): readonly number[] => {
  if (available === undefined) return wanted
  const widths = [...wanted]
  let excess = widths.reduce((sum, width) => sum + width + GAP, -GAP) - available
  while (excess > 0) {
    const candidates = columns
      .map((column, index) => ({ index, width: widths[index] ?? 0, flexible: column.flexible === true }))
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
