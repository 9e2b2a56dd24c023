// The Metrics screen: starts, ends and durations over a span that ends now. A click on a chart lists its Executions.

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useMemo, type ReactNode } from 'react'
import type { Metrics } from '#sdk/index.ts'
import { metricsQuery, SPAN_NAMES, SPANS, type Span } from '../../api/metrics-query.ts'
import { programsQuery } from '../../api/queries.ts'
import { useScope } from '../../api/scope.ts'
import { useQueryKeepingError } from '../../api/use-query-keeping-error.ts'
import { count, duration, percent } from '../../parts/format.ts'
import type { Series } from '../../parts/chart/chart.tsx'
import { QueryContent } from '../../parts/query-content.tsx'
import { DURATION_STEPS } from '../../parts/chart/steps.ts'
import { FindSelect } from '../../parts/find-select.tsx'
import { loadedWhenShown } from '../../parts/loaded-when-shown.ts'
import { paths } from '../../paths.ts'
import { Loading } from '../../ui/loading.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Select } from '../../ui/select.tsx'
import { columnsOf, rateText, stepAt, totalsOf } from './figures.ts'
import { MetricsTable } from './metrics-table.tsx'

const Chart = loadedWhenShown(async () => (await import('../../parts/chart/chart.tsx')).Chart)

const ENDS: readonly Series[] = [
  { label: 'Started', colour: '--color-running-fill' },
  { label: 'Completed', colour: '--color-completed-fill' },
  { label: 'Failed', colour: '--color-failed-fill' },
  { label: 'Cancelled', colour: '--color-cancelled-fill' },
]
const LATENCIES: readonly Series[] = [
  { label: 'p50', colour: '--color-running-fill', dots: true },
  { label: 'p95', colour: '--color-waiting-fill', dots: true },
]
const ALL_PROGRAMS = '*'

export type MetricsPageProps = { readonly span?: Span | undefined; readonly programId?: string | undefined }

export const MetricsPage = ({ span = '1h', programId }: MetricsPageProps) => {
  const scope = useScope()
  const navigate = useNavigate()
  const { data: programs = [] } = useQuery(programsQuery(scope))
  const query = useQueryKeepingError(metricsQuery(scope, span, programId))
  const go = (next: { readonly span?: Span; readonly programId?: string | undefined }) =>
    void navigate({ ...paths.metrics({ span, programId, ...next }), replace: true })
  return (
    <>
      <PageHeader
        title="Metrics"
        actions={
          <>
            <FindSelect
              label="Program"
              one="Program"
              value={programId ?? ALL_PROGRAMS}
              options={[
                { value: ALL_PROGRAMS, label: 'All Programs' },
                ...programs.map(({ id }) => ({ value: id, label: id })),
              ]}
              onChange={(id) => go({ programId: id === ALL_PROGRAMS ? undefined : id })}
            />
            <Select
              label="Time range"
              value={span}
              options={SPAN_NAMES.map((value) => ({ value, label: `Last ${SPANS[value].label}` }))}
              onChange={(next) => go({ span: next })}
            />
          </>
        }
      />
      <QueryContent what="the metrics" query={query}>
        {(metrics) => <Figures metrics={metrics} programId={programId} />}
      </QueryContent>
    </>
  )
}

const Figures = ({ metrics, programId }: { readonly metrics: Metrics; readonly programId: string | undefined }) => {
  const navigate = useNavigate()
  const ends = useMemo(() => columnsOf(metrics, ['started', 'completed', 'failed', 'cancelled']), [metrics])
  const latencies = useMemo(() => columnsOf(metrics, ['p50Ms', 'p95Ms']), [metrics])
  const showStarted = (index: number) => {
    const step = stepAt(metrics, index)
    if (step !== undefined) {
      void navigate(paths.executions({ createdAfter: step.from, createdBefore: step.to, programId }))
    }
  }
  const showFinished = (index: number) => {
    const step = stepAt(metrics, index)
    if (step !== undefined) {
      void navigate(paths.executions({ finishedAfter: step.from, finishedBefore: step.to, programId }))
    }
  }
  return (
    <div className="printed-whole clear-of-notice min-h-0 flex-1 overflow-auto px-5 py-4">
      <Totals metrics={metrics} />
      <Suspense fallback={<Loading what="the charts" />}>
        <div className="mt-4 grid grid-cols-1 gap-4 min-[1500px]:grid-cols-2">
          <Panel title="Started and finished" note="Click to list the Executions that started then">
            <Chart
              label="Executions started, completed, failed and cancelled over time"
              series={ENDS}
              columns={ends}
              format={count}
              onPick={showStarted}
            />
          </Panel>
          <Panel title="Duration" note="Click to list the Executions that finished then">
            <Chart
              label="Duration over time: median (p50) and 95th percentile (p95)"
              series={LATENCIES}
              columns={latencies}
              format={duration}
              steps={DURATION_STEPS}
              onPick={showFinished}
            />
          </Panel>
        </div>
        <MetricsTable metrics={metrics} programId={programId} />
      </Suspense>
    </div>
  )
}

const Panel = ({
  title,
  note,
  children,
}: {
  readonly title: string
  readonly note: string
  readonly children: ReactNode
}) => (
  <section aria-label={title} className="min-w-0 rounded-lg border border-line bg-raised p-3">
    <div className="mb-2 flex flex-wrap items-baseline gap-x-3 px-1">
      <h2 className="font-semibold">{title}</h2>
      <p className="text-xs text-faint">{note}</p>
    </div>
    {children}
  </section>
)

const Totals = ({ metrics }: { readonly metrics: Metrics }) => {
  const totals = totalsOf(metrics)
  const rate = totals.failureRate
  const tiles = [
    { label: 'Started', value: count(totals.started) },
    { label: 'Completed', value: count(totals.completed) },
    { label: 'Failed', value: count(totals.failed), tone: totals.failed > 0 ? 'text-failed' : '' },
    { label: 'Cancelled', value: count(totals.cancelled) },
    { label: 'Failure rate', value: rate === null ? '–' : percent(rate) },
    { label: 'Finished per second', value: rateText(totals.finishedPerSecond) },
    { label: 'Queued now', value: count(metrics.queued) },
  ]
  return (
    <dl aria-label="Totals" className="grid grid-cols-[repeat(auto-fit,minmax(8rem,1fr))] gap-3">
      {tiles.map(({ label, value, tone }) => (
        <div
          key={label}
          className="flex flex-col justify-between rounded-lg border border-line bg-raised px-3.5 py-2.5"
        >
          <dt className="text-xs text-faint">{label}</dt>
          <dd className={`tabular mt-0.5 text-xl font-semibold ${tone ?? ''}`}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
