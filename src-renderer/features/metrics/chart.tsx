// A time series on a canvas. The table below it has the same numbers, for users who cannot see the chart or point at
// it.

import 'uplot/dist/uPlot.min.css'
import { useEffect, useEffectEvent, useRef } from 'react'
import uPlot from 'uplot'
import { usePreferences } from '../../stores/preferences.ts'
import { axisTime, clockTime } from './chart-times.ts'
import { useColours } from './colours.ts'

export type Series = {
  readonly label: string
  /** A CSS custom property of the theme. */
  readonly colour: string
  /** Draws dots instead of a line. */
  readonly dots?: boolean
}

export type ChartProps = {
  readonly label: string
  readonly series: readonly Series[]
  /** Times in seconds, then one list of values per series. */
  readonly columns: readonly [readonly number[], ...(readonly (number | null)[])[]]
  readonly format: (value: number) => string
  /** Called with the index of the clicked point. */
  readonly onPick: (index: number) => void
}

const HEIGHT = 220

/** Whole steps only, since counts and milliseconds are whole: 1, 2, 5, 10, 20, 50 … */
const STEPS = Array.from({ length: 13 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat()
const LEAST_TOP = 4

export const Chart = ({ label, series, columns, format, onPick }: ChartProps) => {
  const frame = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const colours = useColours(['--color-faint', '--color-line', ...series.map(({ colour }) => colour)])
  const display = usePreferences((preferences) => preferences.timeDisplay)
  const pick = useEffectEvent(onPick)
  const show = useEffectEvent(format)
  const data = useEffectEvent(() => columns as unknown as uPlot.AlignedData)

  useEffect(() => {
    const place = frame.current
    if (place === null) return
    const [text = '', line = '', ...strokes] = colours
    const made = new uPlot(
      {
        width: place.clientWidth,
        height: HEIGHT,
        // Places the ticks at whole hours of the displayed time zone.
        ...(display === 'utc' && { tzDate: (at) => uPlot.tzDate(new Date(at * 1_000), 'UTC') }),
        legend: { live: true },
        cursor: { points: { size: 6 }, drag: { x: false, y: false } },
        scales: { y: { range: (_plot, _low, high) => [0, Math.max(high * 1.1, LEAST_TOP)] } },
        axes: [
          {
            stroke: text,
            grid: { stroke: line, width: 1 },
            ticks: { show: false },
            font: '11px sans-serif',
            size: 30,
            values: (_plot, times) => times.map((at, index) => axisTime(at, times[index - 1], display)),
          },
          {
            stroke: text,
            grid: { stroke: line, width: 1 },
            ticks: { show: false },
            font: '11px sans-serif',
            size: 64,
            incrs: STEPS,
            values: (_plot, values) => values.map((value) => show(value)),
          },
        ],
        series: [
          { label: 'Step', value: (_plot, at: number | null) => (at === null ? '–' : clockTime(at, display)) },
          ...series.map((one, index): uPlot.Series => ({
            label: one.label,
            stroke: strokes[index] ?? text,
            width: 1.5,
            spanGaps: false,
            points: { show: one.dots === true, size: 5 },
            value: (_plot, value: number | null) => (value === null ? '–' : show(value)),
          })),
        ],
      },
      data(),
      place,
    )
    plot.current = made
    const click = () => {
      if (made.cursor.idx !== null && made.cursor.idx !== undefined) pick(made.cursor.idx)
    }
    made.over.addEventListener('click', click)
    const resized = new ResizeObserver(() => made.setSize({ width: place.clientWidth, height: HEIGHT }))
    resized.observe(place)
    return () => {
      resized.disconnect()
      made.destroy()
      plot.current = undefined
    }
    // Changed colours, lines or time display need a new chart; new data does not.
  }, [colours, series, display])

  useEffect(() => plot.current?.setData(columns as unknown as uPlot.AlignedData), [columns])

  return <div ref={frame} role="img" aria-label={label} className="wes-chart min-w-0 cursor-crosshair" />
}
