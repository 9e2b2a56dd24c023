// A bar for each day in UTC, stacked from several series.

import { useMemo } from 'react'
import uPlot from 'uplot'
import { DAY_SECONDS, rangeOfDays } from './chart-times.ts'
import { useColours } from './colours.ts'
import { axisLook, type Columns, Plot, type PlotOptions } from './plot.tsx'
import { stacked } from './stacked.ts'

export type DaySeries = {
  readonly label: string
  /** A CSS custom property of the theme. */
  readonly colour: string
  /** One for each day. */
  readonly values: readonly number[]
}

/** From 30 days on, uPlot draws ticks at the first of months. */
const DAY_STEPS = [1, 2, 3, 7, 14, 30, 60, 90].map((days) => days * DAY_SECONDS)
const GAP_SHARE = 0.7
const WIDEST_PX = 48

export const DayBars = ({
  label,
  days,
  series,
  steps,
  format,
}: {
  readonly label: string
  /** Such as `2026-11-20`. */
  readonly days: readonly string[]
  /** The first one is drawn at the top. */
  readonly series: readonly DaySeries[]
  /** The distances that ticks of the vertical axis may have. */
  readonly steps: readonly number[]
  readonly format: (value: number) => string
}) => {
  const colours = useColours(['--color-faint', '--color-line', ...series.map(({ colour }) => colour)])
  const columns = useMemo(
    (): Columns => [
      days.map((day) => Date.parse(day) / 1_000),
      // Each bar is drawn over the longer ones before it.
      ...stacked(series.map(({ values }) => values)),
    ],
    [days, series],
  )
  const options = useMemo((): PlotOptions => {
    const [text = '', line = '', ...fills] = colours
    const [least = 1] = steps
    return {
      tzDate: (at) => uPlot.tzDate(new Date(at * 1_000), 'UTC'),
      legend: { live: true },
      cursor: { points: { show: false }, drag: { x: false, y: false }, y: false },
      scales: {
        x: { range: ({ data: [times] }) => rangeOfDays(times) },
        y: { range: (_plot, _low, high) => [0, Math.max(high * 1.1, 4 * least)] },
      },
      axes: [
        {
          ...axisLook(text, line),
          grid: { show: false },
          size: 30,
          incrs: DAY_STEPS,
          values: (_plot, times) => times.map((at) => dayText(at).slice(5)),
        },
        {
          ...axisLook(text, line),
          size: 76,
          incrs: [...steps],
          values: (_plot, values) => values.map((value) => format(value)),
        },
      ],
      series: [
        { label: 'Day', value: (_plot, at: number | null) => (at === null ? '–' : dayText(at)) },
        ...series.map((one, index): uPlot.Series => ({
          label: one.label,
          fill: fills[index] ?? text,
          stroke: fills[index] ?? text,
          width: 0,
          points: { show: false },
          ...(uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [GAP_SHARE, WIDEST_PX] }) }),
          value: (_plot, _top, _series, at) => {
            const value = at === null ? undefined : one.values[at]
            return value === undefined ? '–' : format(value)
          },
        })),
      ],
    }
  }, [colours, series, steps, format])
  return <Plot label={label} options={options} columns={columns} />
}

const dayText = (at: number): string => new Date(at * 1_000).toISOString().slice(0, 10)
