import { Toggle } from '@base-ui/react/toggle'
import { ToggleGroup } from '@base-ui/react/toggle-group'
import type { Usage } from '#sdk/index.ts'
import { amountText, METRIC_LABELS, USAGE_METRICS, type UsageMetric } from '../../parts/usage-amounts.ts'

/** The total of each metric. The pressed one is plotted. */
export const MetricTiles = ({
  usage: { total, from, to },
  metric,
  onChange,
}: {
  readonly usage: Usage
  readonly metric: UsageMetric
  readonly onChange: (metric: UsageMetric) => void
}) => (
  <ToggleGroup
    aria-label="Metric"
    value={[metric]}
    onValueChange={([next]) => next !== undefined && onChange(next)}
    className="@container"
  >
    <div className="grid grid-cols-2 gap-3 @xl:grid-cols-3 @6xl:grid-cols-6">
      {USAGE_METRICS.map((one) => (
        <Toggle
          key={one}
          value={one}
          className="flex flex-col justify-between rounded-lg border border-line bg-raised px-3.5 py-2.5 text-left hover:bg-hover data-pressed:border-accent data-pressed:bg-selected"
        >
          <span className="block text-xs text-soft">
            {METRIC_LABELS[one]}
            {one === 'storedBytes' && from !== to && ', average'}
          </span>
          <span className="tabular mt-0.5 block text-base font-semibold wrap-anywhere @sm:text-xl">
            {amountText(one, total[one])}
          </span>
        </Toggle>
      ))}
    </div>
  </ToggleGroup>
)
