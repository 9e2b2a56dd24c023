// A time series of lines.

import { useMemo } from 'react'
import uPlot from 'uplot'
import { usePreferences } from '../../stores/preferences.ts'
import { axisTime, pointTime } from './chart-times.ts'
import { useColours } from './colours.ts'
import { axisLook, type Columns, Plot, type PlotOptions } from './plot.tsx'
import { WHOLE_STEPS } from './steps.ts'

export type Series = {
  readonly label: string
  /** A CSS custom property of the theme. */
  readonly colour: string
  /** Draws dots instead of a line. */
  readonly dots?: boolean
}

export type ChartProps = {
  readonly label: string
  /** The same array each time, like `format`: others draw a new chart. */
  readonly series: readonly Series[]
  readonly columns: Columns
  readonly format: (value: number) => string
  /** The distances between ticks that are allowed. By default whole numbers. */
  readonly steps?: readonly number[]
  /** Called with the index of the clicked point. */
  readonly onPick: (index: number) => void
}

const LEAST_TOP = 4

export const Chart = ({ label, series, columns, format, steps = WHOLE_STEPS, onPick }: ChartProps) => {
  const colours = useColours(['--color-faint', '--color-line', ...series.map(({ colour }) => colour)])
  const display = usePreferences((preferences) => preferences.timeDisplay)
  const options = useMemo((): PlotOptions => {
    const [text = '', line = '', ...strokes] = colours
    return {
      // Places the ticks at whole hours of the displayed time zone.
      ...(display === 'utc' && { tzDate: (at) => uPlot.tzDate(new Date(at * 1_000), 'UTC') }),
      legend: { live: true },
      cursor: { points: { size: 6 }, drag: { x: false, y: false } },
      scales: { y: { range: (_plot, _low, high) => [0, Math.max(high * 1.1, LEAST_TOP)] } },
      axes: [
        {
          ...axisLook(text, line),
          size: 30,
          values: (_plot, times) => times.map((at, index) => axisTime(at, times[index - 1], display)),
        },
        {
          ...axisLook(text, line),
          size: 64,
          incrs: [...steps],
          values: (_plot, values) => values.map((value) => format(value)),
        },
      ],
      series: [
        { label: 'Time', value: (_plot, at: number | null) => (at === null ? '–' : pointTime(at, display)) },
        ...series.map((one, index): uPlot.Series => ({
          label: one.label,
          stroke: strokes[index] ?? text,
          width: 1.5,
          spanGaps: false,
          points: { show: one.dots === true, size: 5 },
          value: (_plot, value: number | null) => (value === null ? '–' : format(value)),
        })),
      ],
    }
  }, [colours, series, display, format, steps])
  return <Plot label={label} options={options} columns={columns} onPick={onPick} />
}
