// The timeline's axis, the part in view, and the present time while the Execution runs.

import { useCallback, useMemo, useState } from 'react'
import { useNow } from '../../../../parts/clock.ts'
import type { JournalView } from '../journal/journal-query.ts'
import { type Axis, placesOf } from './axis.ts'
import { axisOf } from './axis-of.ts'
import { type Viewport, within } from './viewport.ts'

export type Scale = {
  readonly axis: Axis
  readonly view: Viewport
  /** The width of the plot, in pixels. */
  readonly widthPx: number
  /** The end of the bars of open commands. */
  readonly now: number
}

export type ScaleControl = {
  readonly scale: Scale
  /** The scale for ended commands, which does not change as time passes. */
  readonly still: Scale
  readonly isFit: boolean
  readonly collapses: boolean
  readonly setCollapses: (collapses: boolean) => void
  /** undefined shows everything, also as it grows. */
  readonly setView: (view: Viewport | undefined) => void
}

export const useScale = ({ journal, version }: JournalView, isLive: boolean, widthPx: number): ScaleControl => {
  const [chosen, setChosen] = useState<Viewport | undefined>(undefined)
  const [collapses, setCollapses] = useState(true)
  const clock = useNow(isLive)
  const span = journal.span() ?? { from: clock, to: clock }
  const now = isLive ? Math.max(clock, span.to) : span.to
  const axis = useMemo(
    () => axisOf(journal, { from: span.from, to: span.to, now, collapses }),
    // oxlint-disable-next-line react/exhaustive-deps -- the journal is changed in place; its version says when
    [journal, version, span.from, span.to, now, collapses],
  )
  const setView = useCallback(
    (next: Viewport | undefined) => setChosen(next === undefined || isAll(next, axis) ? undefined : next),
    [axis],
  )
  const collapse = (next: boolean) => {
    setCollapses(next)
    setChosen(undefined)
  }
  const places = placesOf(axis)
  const still = useMemo(() => {
    const view = within(chosen ?? { from: 0, to: axis.length }, axis.length)
    return { axis, view, widthPx, now: 0 }
    // oxlint-disable-next-line react/exhaustive-deps -- the axis is another object at each tick, but mostly the same
  }, [places, journal, version, chosen, widthPx])
  const scale = useMemo(() => ({ ...still, axis, now }), [still, axis, now])
  return {
    scale,
    still,
    isFit: chosen === undefined,
    collapses,
    setCollapses: collapse,
    setView,
  }
}

const isAll = (view: Viewport, axis: Axis): boolean => view.to - view.from >= axis.length
