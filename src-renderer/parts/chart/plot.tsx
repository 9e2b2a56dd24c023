// A chart on a canvas, drawn by uPlot. The screen shows the same numbers as a table, for users who cannot see the chart
// or point at it.

import 'uplot/dist/uPlot.min.css'
import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react'
import uPlot from 'uplot'
import { classNames } from '../../ui/class-names.ts'

/** Times in seconds, then one list of values per series. */
export type Columns = readonly [readonly number[], ...(readonly (number | null)[])[]]

export type PlotOptions = Omit<uPlot.Options, 'width' | 'height'>

const HEIGHT = 220

/** What the axes of all charts have in common. */
export const axisLook = (text: string, line: string) =>
  ({ stroke: text, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: '11px sans-serif' }) as const

export const Plot = ({
  label,
  options,
  columns,
  onPick,
}: {
  readonly label: string
  /** Other options draw a new chart; other columns do not. */
  readonly options: PlotOptions
  readonly columns: Columns
  /** Called with the index of the clicked point. */
  readonly onPick?: (index: number) => void
}) => {
  const frame = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const pick = useEffectEvent((index: number) => onPick?.(index))
  const data = useEffectEvent(() => columns as unknown as uPlot.AlignedData)

  // Before the browser paints: what is below the chart does not move.
  useLayoutEffect(() => {
    const place = frame.current
    if (place === null) return
    const made = new uPlot({ ...options, width: place.clientWidth, height: HEIGHT }, data(), place)
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
  }, [options])

  useEffect(() => plot.current?.setData(columns as unknown as uPlot.AlignedData), [columns])

  return (
    <div
      ref={frame}
      role="img"
      aria-label={label}
      className={classNames('wes-chart min-w-0', onPick !== undefined && 'cursor-crosshair')}
    />
  )
}
