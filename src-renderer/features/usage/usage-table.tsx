import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Usage, UsageGrouping, UsageItem } from '#sdk/index.ts'
import { programsQuery, projectsQuery } from '../../api/queries.ts'
import { projectIdOf, useScope } from '../../api/scope.ts'
import { count } from '../../parts/format.ts'
import { amountText, METRIC_LABELS, USAGE_METRICS, type UsageMetric } from '../../parts/usage-amounts.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { type ProjectNames, sortedRows } from './usage-rows.ts'
import { visible } from '../../ui/visible.tsx'

/** Many days of many Programs are many rows. */
const SHOWN_AT_ONCE = 200

const PADDING = 'px-3 @max-sm:px-1.5'

const HEADERS: Readonly<Record<UsageGrouping, string>> = { day: 'Day', project: 'Project', program: 'Program' }

export const UsageTable = ({
  usage,
  groupBy,
  metric,
  nameOf,
}: {
  readonly usage: Usage
  readonly groupBy: readonly UsageGrouping[]
  /** The metric whose column is highlighted. */
  readonly metric: UsageMetric
  readonly nameOf: ProjectNames
}) => {
  const [most, setMost] = useState(SHOWN_AT_ONCE)
  const rows = sortedRows(usage.items, metric)
  /** Where there is no room for all, only the metric chosen above is shown. */
  const others = groupBy.length === 1 ? '@max-3xl:hidden' : '@max-5xl:hidden'
  const look = (one: UsageMetric) => classNames(PADDING, 'text-right whitespace-nowrap', one !== metric && others)
  return (
    <div className="@container">
      <table aria-label="Usage" className="tabular w-full border-collapse">
        <thead>
          <tr className="text-xs text-faint">
            {groupBy.map((group) => (
              <th key={group} scope="col" className={`${PADDING} border-b border-line py-1 text-left font-medium`}>
                {HEADERS[group]}
              </th>
            ))}
            {USAGE_METRICS.map((one) => (
              <th
                key={one}
                scope="col"
                className={classNames(look(one), 'border-b border-line py-1 font-medium', one === metric && 'text-ink')}
              >
                {METRIC_LABELS[one]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, most).map((row) => (
            <tr key={`${row.day}/${row.projectId}/${row.programId}`} className="border-b border-line hover:bg-hover">
              {groupBy.map((group, index) => {
                const Cell = index === 0 ? 'th' : 'td'
                return (
                  <Cell
                    key={group}
                    scope={index === 0 ? 'row' : undefined}
                    className={classNames(
                      PADDING,
                      'py-1.5 text-left font-normal',
                      group === 'day' ? 'whitespace-nowrap @max-sm:whitespace-normal' : 'wrap-anywhere',
                    )}
                  >
                    <GroupName group={group} row={row} nameOf={nameOf} />
                  </Cell>
                )
              })}
              {USAGE_METRICS.map((one) => (
                <td
                  key={one}
                  className={classNames(
                    look(one),
                    'py-1.5',
                    one === metric && 'font-medium',
                    row[one] === 0 && 'text-faint',
                  )}
                >
                  {amountText(one, row[one])}
                </td>
              ))}
            </tr>
          ))}
          {rows.length === 0 && (
            <tr className="border-b border-line">
              <td colSpan={groupBy.length + USAGE_METRICS.length} className="px-3 py-3 text-soft">
                No usage on these days.
              </td>
            </tr>
          )}
        </tbody>
        <tfoot>
          <tr className="font-semibold">
            <th scope="row" colSpan={groupBy.length} className={`${PADDING} py-2 text-left`}>
              Total
            </th>
            {USAGE_METRICS.map((one) => (
              <td key={one} className={classNames(look(one), 'py-2')}>
                {one === 'storedBytes' && usage.from !== usage.to && (
                  <span className="font-normal text-faint">average </span>
                )}
                {amountText(one, usage.total[one])}
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
      {rows.length > most && (
        <div className="flex items-center gap-3 px-3 py-2 text-soft">
          {count(most)} of {count(rows.length)} rows
          <Button onClick={() => setMost(most + SHOWN_AT_ONCE)}>Show more</Button>
        </div>
      )}
    </div>
  )
}

const LINK = 'rounded-sm hover:underline'

const GroupName = ({
  group,
  row,
  nameOf,
}: {
  readonly group: UsageGrouping
  readonly row: UsageItem
  readonly nameOf: ProjectNames
}) => {
  switch (group) {
    case 'day':
      return row.day
    case 'project':
      return (
        <span className="inline-block wrap-anywhere @lg:w-max @lg:max-w-40">
          <ProjectName id={row.projectId ?? ''} name={nameOf(row.projectId ?? '')} />
        </span>
      )
    case 'program':
      return <ProgramName id={row.programId ?? ''} projectId={row.projectId} />
  }
}

/** As addresses name it. */
const useAddressOf = () => {
  const { connection } = useScope()
  return (projectId: string) => projectIdOf(projectId, connection) ?? 'default'
}

const ProjectName = ({ id, name }: { readonly id: string; readonly name: string }) => {
  const addressOf = useAddressOf()
  const { data: projects = [] } = useQuery(projectsQuery(useScope()))
  if (projects.every((project) => project.id !== id)) return <span className="font-mono text-xs">{id}</span>
  return (
    <Link {...paths.project(addressOf(id))} activeOptions={{ exact: true }} className={LINK} title={id}>
      {visible(name)}
    </Link>
  )
}

/** Without its project, a Program may be of several projects: the one on screen has a link. */
const ProgramName = ({ id, projectId }: { readonly id: string; readonly projectId: string | undefined }) => {
  const addressOf = useAddressOf()
  const { data: here = [] } = useQuery(programsQuery(useScope()))
  const isHere = here.some((program) => program.id === id)
  if (projectId === undefined && !isHere) return id
  const link = paths.program(id)
  return (
    <Link
      {...link}
      {...(projectId !== undefined && { params: { ...link.params, project: addressOf(projectId) } })}
      className={LINK}
    >
      {id}
    </Link>
  )
}
