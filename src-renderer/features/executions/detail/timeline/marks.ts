// Groups point-in-time entries that would overlap on screen.

import { type EntryLine, LOG_LEVELS, type LogLevel } from '../journal/entry-line.ts'
import { lastAtMost } from '../journal/journal.ts'
import { type Axis, toTime, toUnit } from './axis.ts'
import { percentOf, type Viewport } from './viewport.ts'

export type Mark = {
  readonly percent: number
  /** In the order of their positions. */
  readonly first: EntryLine
  readonly count: number
  /** The worst level among logs. */
  readonly level: EntryLine['level']
}

/** The lines in view; `lines` is sorted by time. */
export const marksOf = (
  lines: readonly EntryLine[],
  axis: Axis,
  view: Viewport,
  { widthPx, apartPx }: { readonly widthPx: number; readonly apartPx: number },
): readonly Mark[] => {
  const marks: Mark[] = []
  const end = toTime(axis, view.to)
  const cell = (line: EntryLine) => Math.floor(((percentOf(view, toUnit(axis, line.at)) / 100) * widthPx) / apartPx)
  let index = Math.max(0, lastAtMost(lines, toTime(axis, view.from) - 1e-3, (line) => line.at) + 1)
  while (index < lines.length && lines[index]!.at <= end) {
    const first = lines[index]!
    const itsCell = cell(first)
    let level = first.level
    let last = index
    while (last + 1 < lines.length && cell(lines[last + 1]!) === itsCell) {
      last += 1
      level = worse(level, lines[last]!.level)
    }
    marks.push({ percent: percentOf(view, toUnit(axis, first.at)), first, count: last - index + 1, level })
    index = last + 1
  }
  return marks
}

const worse = (one: LogLevel | undefined, other: LogLevel | undefined): LogLevel | undefined =>
  LOG_LEVELS.findLast((level) => level === one || level === other)
