// Bars of one metric per day. Loaded with the library that draws them.

import { useMemo } from 'react'
import type { UsageItem } from '#sdk/index.ts'
import { DayBars } from '../../parts/chart/day-bars.tsx'
import { WHOLE_STEPS } from '../../parts/chart/steps.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../parts/format.ts'
import { amountText, METRIC_LABELS, type UsageMetric } from '../../parts/usage-amounts.ts'
import { barsOf, type ProjectNames } from './usage-rows.ts'
import { withEscapes } from '../../ui/hidden-characters.ts'

const COLOURS = [
  '--color-series-1',
  '--color-series-2',
  '--color-series-3',
  '--color-series-4',
  '--color-series-5',
] as const
const REST = '--color-series-rest'

const BINARY = Array.from({ length: 51 }, (_, power) => 2 ** power)
const DURATIONS = [
  ...WHOLE_STEPS.slice(0, 9),
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...WHOLE_STEPS.slice(0, 15).map((hours) => hours * HOUR_MS),
]

/** Round distances between the ticks of the vertical axis. */
const stepsOf = (metric: UsageMetric): readonly number[] => {
  if (metric === 'storedBytes') return BINARY
  return metric === 'computeMs' ? DURATIONS : WHOLE_STEPS
}

export const UsagePlot = ({
  items,
  days,
  metric,
  nameOf,
}: {
  readonly items: readonly UsageItem[]
  readonly days: readonly string[]
  readonly metric: UsageMetric
  readonly nameOf: ProjectNames
}) => {
  const dayKey = days.join()
  const series = useMemo(
    () =>
      barsOf(items, dayKey.split(','), metric, nameOf).map(({ label, rank, values }) => ({
        label: withEscapes(label),
        values,
        colour: (rank === undefined ? undefined : COLOURS[rank]) ?? REST,
      })),
    [items, dayKey, metric, nameOf],
  )
  const shownDays = useMemo(() => dayKey.split(','), [dayKey])
  const format = useMemo(() => (value: number) => amountText(metric, Math.round(value)), [metric])
  if (days.length === 0) return <p className="px-1 pb-2 text-soft">None of these days has begun.</p>
  return (
    <DayBars
      label={`${METRIC_LABELS[metric]} per day`}
      days={shownDays}
      series={series}
      steps={stepsOf(metric)}
      format={format}
    />
  )
}
