// Zooming and panning, for buttons, keys and the wheel.

import type { Journal } from '../journal/journal.ts'
import { toUnit } from './axis.ts'
import type { ScaleControl } from './use-scale.ts'
import { around, moved, unitAt, zoomed } from './viewport.ts'

export type Zoom = {
  /** A factor above 1 shows less. Zooms around a share of the plot, else the selection, else the middle. */
  readonly by: (factor: number, share?: number) => void
  /** Pans by a share of the view's width. */
  readonly pan: (share: number) => void
  readonly toShares: (from: number, to: number) => void
  readonly toAll: () => void
  /** undefined when nothing with a duration is selected. */
  readonly toSelected: (() => void) | undefined
}

export const zoomOf = (control: ScaleControl, journal: Journal, entry: number | undefined): Zoom => {
  const { scale, setView, isFit } = control
  const { axis, view } = scale
  const span = spanOf(control, journal, entry)
  const middle = (view.from + view.to) / 2
  const isSeen = span !== undefined && span.from >= view.from && span.to <= view.to
  const anchor = isSeen ? (span.from + span.to) / 2 : middle
  return {
    by: (factor, share) =>
      setView(zoomed(view, factor, share === undefined ? anchor : unitAt(view, share), axis.length)),
    pan: (share) => {
      if (!isFit) setView(moved(view, share, axis.length))
    },
    toShares: (from, to) => setView({ from: unitAt(view, from), to: unitAt(view, to) }),
    toAll: () => setView(undefined),
    toSelected: span === undefined ? undefined : () => setView(around(span.from, span.to, axis.length)),
  }
}

/** The range of the selected entry's command, in units. */
const spanOf = ({ scale }: ScaleControl, journal: Journal, entry: number | undefined) => {
  const number = entry === undefined ? undefined : journal.lineAt(entry)?.command
  const command = number === undefined ? undefined : journal.commandOf(number)
  if (command === undefined) return undefined
  return { from: toUnit(scale.axis, command.from), to: toUnit(scale.axis, command.to ?? scale.now) }
}
