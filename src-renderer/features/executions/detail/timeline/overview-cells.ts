// The timeline as a small raster: which cells are filled, and how.

import type { Command } from '../journal/commands.ts'
import { type Axis, toUnit } from './axis.ts'
import { barsOf, type BarLook } from './bars.ts'

/** Where several overlap, the last in this list wins. */
const LOOKS = [
  'waited',
  'cancelled',
  'waiting',
  'backing-off',
  'completed',
  'running',
  'failed',
] as const satisfies readonly BarLook[]

export type Run = { readonly look: BarLook; readonly x: number; readonly y: number; readonly width: number }

export type Raster = { readonly columns: number; readonly rows: number }

/** Horizontal runs of equal cells. The commands are spread over the rows in order. */
export const overviewRuns = (
  commands: readonly Command[],
  axis: Axis,
  now: number,
  { columns, rows }: Raster,
): readonly Run[] => {
  const cells = new Uint8Array(columns * rows)
  const columnOf = (time: number) => Math.min(columns - 1, Math.floor((toUnit(axis, time) / axis.length) * columns))
  const used = Math.min(rows, commands.length)
  for (const [index, command] of commands.entries()) {
    const row = Math.floor((index / commands.length) * used) * columns
    for (const bar of barsOf(command, now)) {
      const rank = LOOKS.indexOf(bar.look) + 1
      const last = columnOf(bar.to)
      for (let at = columnOf(bar.from); at <= last; at += 1) if (cells[row + at]! < rank) cells[row + at] = rank
    }
  }
  return runsIn(cells, { columns, rows: used })
}

const runsIn = (cells: Uint8Array, { columns, rows }: Raster): readonly Run[] => {
  const runs: Run[] = []
  for (let y = 0; y < rows; y += 1) {
    let x = 0
    while (x < columns) {
      const rank = cells[y * columns + x]!
      const start = x
      while (x < columns && cells[y * columns + x] === rank) x += 1
      if (rank > 0) runs.push({ look: LOOKS[rank - 1]!, x: start, y, width: x - start })
    }
  }
  return runs
}
