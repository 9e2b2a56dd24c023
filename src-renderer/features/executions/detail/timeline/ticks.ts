// The ruler's ticks: round times since the start, as far apart as their labels need.

import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../parts/format.ts'
import { type Axis, toUnit } from './axis.ts'
import { percentOf, type Viewport } from './viewport.ts'

export type Tick = {
  readonly percent: number
  /** Empty where it would overlap another label or a break, or reach beyond the ruler. */
  readonly label: string
}

const STEPS = [
  0.1,
  0.2,
  0.5,
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 20, 30].map((one) => one * SECOND_MS),
  ...[1, 2, 5, 10, 20, 30].map((one) => one * MINUTE_MS),
  ...[1, 2, 6, 12].map((one) => one * HOUR_MS),
  ...[1, 2, 7, 14, 30, 90, 365].map((one) => one * DAY_MS),
]

export const LETTER_PX = 6.5
/** The width of one label. */
const LABEL_PX = 76
const MOST_TICKS = 60

export const ticksOf = (axis: Axis, view: Viewport, widthPx: number): readonly Tick[] => {
  const msPerPx = (view.to - view.from) / Math.max(widthPx, 1)
  const step =
    STEPS.find((one) => one / msPerPx >= LABEL_PX) ?? STEPS.at(-1)! * Math.ceil((LABEL_PX * msPerPx) / STEPS.at(-1)!)
  const ticks: Tick[] = []
  /** Where the last label ends. */
  let labelledPx = 0
  for (const stretch of axis.stretches) {
    if (stretch.isBreak || stretch.end < view.from || stretch.start > view.to) continue
    const firstMs = stretch.from - axis.from + Math.max(0, view.from - stretch.start)
    const lastMs = stretch.from - axis.from + Math.min(stretch.end, view.to) - stretch.start
    let isFirst = true
    for (let at = Math.ceil(firstMs / step - 1e-9) * step; at <= lastMs && ticks.length < MOST_TICKS; at += step) {
      const percent = percentOf(view, toUnit(axis, axis.from + at))
      const before = ticks.at(-1)
      // After a break, labels may be closer than a step.
      if (before !== undefined && ((percent - before.percent) / 100) * widthPx < LABEL_PX) continue
      const label = tickLabel(at, step, isFirst)
      const labelPx = label.length * LETTER_PX + 6
      const px = (percent / 100) * widthPx
      const fits = px >= labelledPx && labelPx <= (lastMs - at) / msPerPx
      if (fits) labelledPx = px + labelPx
      ticks.push({ percent, label: fits ? label : '' })
      isFirst &&= !fits
    }
  }
  return ticks
}

/** `whole`: all units down to the step's; otherwise the finest two. */
export const tickLabel = (offsetMs: number, stepMs: number, whole: boolean): string => {
  if (offsetMs === 0) return '0'
  const parts = partsOf(offsetMs, stepMs)
  return (whole ? parts : parts.slice(-2)).join(' ')
}

const partsOf = (offsetMs: number, stepMs: number): readonly string[] => {
  const days = Math.floor(offsetMs / DAY_MS)
  const hours = Math.floor((offsetMs % DAY_MS) / HOUR_MS)
  const minutes = Math.floor((offsetMs % HOUR_MS) / MINUTE_MS)
  const restMs = offsetMs % MINUTE_MS
  const parts = [
    ...(days > 0 ? [`${days} d`] : []),
    ...(hours > 0 && stepMs < DAY_MS ? [`${hours} h`] : []),
    ...(minutes > 0 && stepMs < HOUR_MS ? [`${minutes} min`] : []),
  ]
  const isFine = stepMs < MINUTE_MS && (restMs > 1e-6 || parts.length === 0)
  return isFine ? [...parts, secondsOf(restMs, stepMs, offsetMs)] : parts
}

const secondsOf = (restMs: number, stepMs: number, offsetMs: number): string => {
  if (offsetMs < SECOND_MS) return `${restMs.toFixed(stepMs < 1 ? 1 : 0)} ms`
  const digits = stepMs >= SECOND_MS ? 0 : Math.min(4, Math.ceil(-Math.log10(stepMs / SECOND_MS) - 1e-9))
  return `${(restMs / SECOND_MS).toFixed(digits)} s`
}
