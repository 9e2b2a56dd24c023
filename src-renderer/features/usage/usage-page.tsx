// The Usage screen: what the workspace used, in all its projects.

import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { Suspense, useState } from 'react'
import type { Usage, UsageGrouping } from '#sdk/index.ts'
import { usageQuery } from '../../api/account-queries.ts'
import { failureOf } from '../../api/failures.ts'
import { projectsQuery } from '../../api/queries.ts'
import { useScope } from '../../api/scope.ts'
import { useQueryKeepingError } from '../../api/use-query-keeping-error.ts'
import { useUtcDay } from '../../parts/clock.ts'
import { QueryContent } from '../../parts/query-content.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { METRIC_LABELS } from '../../parts/usage-amounts.ts'
import { loadedWhenShown } from '../../parts/loaded-when-shown.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Loading } from '../../ui/loading.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Select } from '../../ui/select.tsx'
import { ToggleChips } from '../../ui/toggle-chips.tsx'
import { MetricTiles } from './metric-tiles.tsx'
import { OwnDays } from './own-days.tsx'
import { type Days, daysOf, eachDay, ownDays, RANGE_NAMES, RANGES, type RangeName } from './ranges.ts'
import { csvName, type ProjectNames, sortedRows, usageCsv } from './usage-rows.ts'
import { UsageTable } from './usage-table.tsx'
import { DEFAULT_GROUPING, GROUPINGS, type UsageView } from './usage-view.ts'

const UsagePlot = loadedWhenShown(async () => (await import('./usage-plot.tsx')).UsagePlot)

const OWN = 'own'

export const UsagePage = (view: UsageView) => {
  const { metric = 'executions', groupBy = DEFAULT_GROUPING } = view
  const scope = useScope()
  const navigate = useNavigate()
  const days = daysOf(view, useUtcDay())
  const nameOf = useProjectNames()
  const query = useQueryKeepingError(usageQuery(scope, { ...days, groupBy }))
  const go = (next: UsageView) => void navigate({ ...paths.usage({ ...view, ...next }), replace: true })
  const ranged = (range: RangeName | typeof OWN) =>
    go(range === OWN ? { range: undefined, ...days } : { range, from: undefined, to: undefined })
  const isOwn = view.range === undefined && ownDays(view) !== undefined
  const groupings = (
    <div className="mt-5 mb-2 flex flex-wrap items-center gap-x-3 gap-y-2">
      <span className="text-soft">Group by</span>
      <ToggleChips
        label="Group by"
        options={GROUPINGS.map((value) => ({ value, label: GROUPING_LABELS[value] }))}
        chosen={groupBy}
        onChange={(next) => next.length > 0 && go({ groupBy: inOrder(next) })}
      />
    </div>
  )
  return (
    <>
      <PageHeader
        title="Usage"
        actions={
          <>
            <Select
              label="Range"
              value={isOwn ? OWN : (view.range ?? 'month')}
              options={[
                ...RANGE_NAMES.map((value) => ({ value, label: RANGES[value] })),
                { value: OWN, label: 'Custom range' },
              ]}
              onChange={ranged}
            />
            {isOwn && <OwnDays days={days} onChange={go} />}
            <SaveAsCsv
              usage={query.isPlaceholderData ? undefined : query.data}
              groupBy={groupBy}
              metric={metric}
              nameOf={nameOf}
            />
          </>
        }
      />
      {/* Other groups are the way out where these are too many. */}
      {query.data === undefined && failureOf(query.error).kind === 'refused' && <div className="px-5">{groupings}</div>}
      <QueryContent what="the usage" query={query}>
        {(usage) => (
          <div
            aria-busy={query.isPlaceholderData}
            // Until the answer, these are the numbers of other days or groups.
            className={classNames(
              'printed-whole clear-of-notice min-h-0 flex-1 overflow-auto px-5 py-4',
              query.isPlaceholderData && 'opacity-60',
            )}
          >
            <MetricTiles usage={usage} metric={metric} onChange={(next) => go({ metric: next })} />
            <section aria-label="Usage per day" className="mt-4 min-w-0 rounded-lg border border-line bg-raised p-3">
              <h2 className="mb-2 px-1 font-semibold">{METRIC_LABELS[metric]} per day</h2>
              {/* As high as the chart, before it is there too. */}
              <div className="flex min-h-61 flex-col">
                <Plot
                  days={days}
                  groups={query.isPlaceholderData ? undefined : usage.items.length}
                  groupBy={groupBy}
                  metric={metric}
                  nameOf={nameOf}
                />
              </div>
            </section>
            {groupings}
            <UsageTable usage={usage} groupBy={groupBy} metric={metric} nameOf={nameOf} />
            <p className="mt-3 text-xs text-faint">
              Days are in UTC; today counts so far. Stored data is what was stored at the end of a day: for several days
              it is the average, not the sum, also in the total. Updated every minute.
            </p>
          </div>
        )}
      </QueryContent>
    </>
  )
}

const GROUPING_LABELS: Readonly<Record<UsageGrouping, string>> = { day: 'Day', project: 'Project', program: 'Program' }

const inOrder = (chosen: readonly UsageGrouping[]): readonly UsageGrouping[] =>
  GROUPINGS.filter((one) => chosen.includes(one))

/** The name of a project, or its id until its name is known. */
const useProjectNames = (): ProjectNames => {
  const { data: projects } = useQuery(projectsQuery(useScope()))
  const [named, setNamed] = useState<{ readonly of: typeof projects; readonly nameOf: ProjectNames }>(() => ({
    of: undefined,
    nameOf: (id) => id,
  }))
  if (named.of !== projects) {
    const names = new Map(projects?.map(({ id, name }) => [id, name]))
    setNamed({ of: projects, nameOf: (id) => names.get(id) ?? id })
  }
  return named.nameOf
}

type Shown = {
  readonly groupBy: readonly UsageGrouping[]
  readonly metric: NonNullable<UsageView['metric']>
  readonly nameOf: ProjectNames
}

/** Of groups on days: the service refuses 200,000, and far fewer take seconds to read. The plot tells five groups apart. */
const MOST_PLOTTED = 50_000

/** Always by day: the same request as the table's, where that is by day. Too many groups are plotted as one. */
const Plot = ({
  days,
  groups,
  groupBy,
  metric,
  nameOf,
}: Shown & {
  readonly days: Days
  /** How many rows the table has; undefined until that is known. */
  readonly groups: number | undefined
}) => {
  const today = useUtcDay()
  const isTooMany = !groupBy.includes('day') && (groups ?? 0) * eachDay(days, today).length > MOST_PLOTTED
  const query = useQueryKeepingError({
    ...usageQuery(useScope(), { ...days, groupBy: isTooMany ? ['day'] : inOrder([...groupBy, 'day']) }),
    enabled: groups !== undefined,
  })
  return (
    <QueryContent what="the usage per day" query={query}>
      {(usage) => (
        <Suspense fallback={<Loading what="the chart" />}>
          <UsagePlot items={usage.items} days={eachDay(usage, today)} metric={metric} nameOf={nameOf} />
        </Suspense>
      )}
    </QueryContent>
  )
}

const SaveAsCsv = ({ usage, groupBy, metric, nameOf }: Shown & { readonly usage: Usage | undefined }) => (
  <Button
    icon={<Download size={14} />}
    disabledReason={usage === undefined ? 'The usage is not loaded yet' : undefined}
    onClick={() => {
      if (usage === undefined) return
      const rows = sortedRows(usage.items, metric)
      saveFile(csvName(usage, groupBy), 'text/csv', usageCsv(usage, rows, groupBy, nameOf))
    }}
  >
    Download CSV
  </Button>
)
