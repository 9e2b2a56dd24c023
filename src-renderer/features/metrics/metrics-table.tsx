import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import type { Metrics } from '#sdk/index.ts'
import { count, duration } from '../../parts/format.ts'
import { At } from '../../parts/time.tsx'
import { paths } from '../../paths.ts'

/** The numbers of the charts, newest first, without empty steps. */
export const MetricsTable = ({
  metrics,
  programId,
}: {
  readonly metrics: Metrics
  readonly programId: string | undefined
}) => {
  const busy = metrics.points.filter(
    ({ started, completed, failed, cancelled }) => started + completed + failed + cancelled > 0,
  )
  return (
    <details className="group mt-4">
      <summary className="inline-flex list-none items-center gap-1 rounded-md px-1 py-0.5 text-soft hover:text-ink">
        <ChevronRight size={14} className="group-open:rotate-90" />
        Show as a table
      </summary>
      <div className="mt-2 overflow-x-auto">
        <table aria-label="Metrics" className="tabular w-full border-collapse">
          <thead>
            <tr className="text-xs text-faint">
              {['Time', 'Started', 'Completed', 'Failed', 'Cancelled', 'p50', 'p95'].map((header) => (
                <th
                  key={header}
                  scope="col"
                  className="border-b border-line px-3 py-1 text-right font-medium first:text-left"
                >
                  {header}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {busy.toReversed().map((point) => (
              <tr key={point.at} className="border-b border-line">
                <th scope="row" className="px-3 py-1 text-left font-normal">
                  <Link
                    className="hover:underline"
                    {...paths.executions({
                      createdAfter: point.at,
                      createdBefore: new Date(Date.parse(point.at) + metrics.stepMs).toISOString(),
                      programId,
                    })}
                  >
                    <At at={point.at} />
                  </Link>
                </th>
                {[point.started, point.completed, point.failed, point.cancelled].map((value, index) => (
                  <td key={index} className="px-3 py-1 text-right">
                    {count(value)}
                  </td>
                ))}
                {[point.p50Ms, point.p95Ms].map((value, index) => (
                  <td key={index} className="px-3 py-1 text-right">
                    {value === null ? '–' : duration(value)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}
