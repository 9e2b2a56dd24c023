// The Errors screen: failures grouped by cause, all of them or those of recent time. The service gives the group that failed last
// first, so that the groups of recent time are the first ones.

import { Link, useNavigate } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { useMemo } from 'react'
import type { ErrorGroup } from '#sdk/index.ts'
import { errorsQuery, failuresSinceQuery } from '../../api/insight-queries.ts'
import { type MoreRows, usePagedList } from '../../api/paged-list.ts'
import { relativeMs } from '../../api/relative-times.ts'
import { useScope } from '../../api/scope.ts'
import { ABOVE_ROW_LINK, type Column, NAME_IN_TABLE, ROW_LINK } from '../../parts/data-table.tsx'
import { useNow } from '../../parts/clock.ts'
import { count, duration, type TimeDisplay, zonedTime } from '../../parts/format.ts'
import { ExecutionLink, ProgramLink } from '../../parts/links.tsx'
import { EmptyList } from '../../parts/empty-list.tsx'
import { QueryContent } from '../../parts/query-content.tsx'
import { ANY_TIME, RECENT_TIMES } from '../../parts/recent-times.ts'
import { SeenFigure } from '../../parts/seen-figure.tsx'
import { Table } from '../../parts/table.tsx'
import { tellingName } from '../../parts/telling-name.ts'
import { Ago } from '../../parts/time.tsx'
import { paths } from '../../paths.ts'
import { usePreferences } from '../../stores/preferences.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { focusScreenAfter } from '../../ui/focus-screen.ts'
import { withEscapes } from '../../ui/hidden-characters.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Select } from '../../ui/select.tsx'
import { visible } from '../../ui/visible.tsx'

const columnsOf = (finishedAfter: string | undefined): readonly Column<ErrorGroup>[] => [
  {
    header: 'Error',
    width: '@lg:min-w-32 @5xl:min-w-60',
    cell: (group) => (
      <div className="min-w-0">
        <Link
          {...paths.executions({ programId: group.programId, errorFingerprint: group.fingerprint, finishedAfter })}
          dir="auto"
          title={withEscapes(group.message)}
          className={`${ROW_LINK} line-clamp-2 wrap-anywhere max-sm:line-clamp-4`}
        >
          {tellingName(group.name) !== undefined && visible(`${group.name}: `)}
          {group.message === '' ? 'no message' : visible(group.message)}
        </Link>
      </div>
    ),
  },
  { header: 'Code', width: 'w-32', from: 'wide', cell: ({ code }) => <Badge tone="failed">{code}</Badge> },
  {
    header: 'Program',
    // Of a long table, whose columns without a width share what is left. Messages need it.
    width: 'in-[.table-fixed]:w-48 in-[.table-fixed]:@max-5xl:w-36 in-[.table-fixed]:@max-lg:w-26',
    cell: ({ programId }) => <ProgramLink id={programId} className={`${ABOVE_ROW_LINK} ${NAME_IN_TABLE}`} />,
  },
  {
    header: 'Executions',
    align: 'right',
    width: 'w-24',
    cell: (group) =>
      finishedAfter === undefined ? count(group.count) : <CountSince group={group} finishedAfter={finishedAfter} />,
  },
  { header: 'First seen', width: 'w-24', from: 'widest', cell: ({ firstAt }) => <Ago at={firstAt} /> },
  { header: 'Last seen', width: 'w-28', from: 'medium', cell: ({ lastAt }) => <Ago at={lastAt} /> },
  {
    header: 'Latest Execution',
    width: 'w-32',
    from: 'wide',
    cell: ({ exampleExecutionId }) => <ExecutionLink short id={exampleExecutionId} className={ABOVE_ROW_LINK} />,
  },
]

const CountSince = ({ group, finishedAfter }: { readonly group: ErrorGroup; readonly finishedAfter: string }) => (
  <SeenFigure query={failuresSinceQuery(useScope(), group, finishedAfter)} show={count} />
)

/** `finishedAfter`: as in the list of Executions, `-1h` or a time. */
export type ErrorsPageProps = { readonly finishedAfter?: string | undefined }

export const ErrorsPage = ({ finishedAfter }: ErrorsPageProps) => {
  const query = usePagedList(errorsQuery(useScope()))
  const showSince = useShowSince()
  const isFiltered = finishedAfter !== undefined
  const hasAny = query.data?.[0] !== undefined && query.data[0].length > 0
  return (
    <>
      <PageHeader
        title="Errors"
        actions={(hasAny || isFiltered) && <SinceSelect finishedAfter={finishedAfter} onChange={showSince} />}
      >
        {hasAny && <p className="text-soft">Failures grouped by cause, newest first</p>}
      </PageHeader>
      <QueryContent what="the errors" query={query}>
        {(pages) => <ErrorList groups={pages.flat()} more={query.more} finishedAfter={finishedAfter} />}
      </QueryContent>
    </>
  )
}

const useShowSince = () => {
  const navigate = useNavigate()
  return (finishedAfter: string | undefined) => void navigate(paths.errors({ finishedAfter }))
}

const SinceSelect = ({
  finishedAfter,
  onChange,
}: ErrorsPageProps & { readonly onChange: (finishedAfter: string | undefined) => void }) => {
  const display = usePreferences((preferences) => preferences.timeDisplay)
  const isOwn = finishedAfter !== undefined && RECENT_TIMES.every(({ value }) => value !== finishedAfter)
  return (
    <Select
      label="Failed"
      value={finishedAfter ?? ANY_TIME.value}
      options={[
        ANY_TIME,
        ...RECENT_TIMES,
        ...(isOwn ? [{ value: finishedAfter, label: sinceText(finishedAfter, display) }] : []),
      ]}
      onChange={(value) => onChange(value === ANY_TIME.value ? undefined : value)}
    />
  )
}

const sinceText = (time: string, display: TimeDisplay): string => {
  const ago = relativeMs(time)
  return ago === undefined ? `Since ${zonedTime(Date.parse(time), display)}` : `Last ${duration(ago)}`
}

type ErrorListProps = ErrorsPageProps & {
  readonly groups: readonly ErrorGroup[]
  readonly more: MoreRows | undefined
}

const ErrorList = ({ groups, more, finishedAfter }: ErrorListProps) => {
  const now = useNow(finishedAfter !== undefined)
  const showSince = useShowSince()
  const columns = useMemo(() => columnsOf(finishedAfter), [finishedAfter])
  if (groups.length === 0) {
    return (
      <EmptyList icon={<CircleCheck size={28} />} title="No failures">
        No Execution of this project has failed.
      </EmptyList>
    )
  }
  const shown = finishedAfter === undefined ? groups : failedSince(groups, finishedAfter, now)
  if (shown.length === 0) {
    return (
      <EmptyList
        icon={<CircleCheck size={28} />}
        title="No failures in this time"
        actions={
          <Button ref={focusScreenAfter} onClick={() => showSince(undefined)}>
            Show any time
          </Button>
        }
      >
        The last one was <Ago at={groups[0]!.lastAt} />.
      </EmptyList>
    )
  }
  return (
    <Table
      label="Errors"
      columns={columns}
      rows={shown}
      more={shown.length === groups.length ? more : undefined}
      rowKey={({ programId, fingerprint }) => `${programId}/${fingerprint}`}
    />
  )
}

const failedSince = (groups: readonly ErrorGroup[], time: string, now: number): readonly ErrorGroup[] => {
  const ago = relativeMs(time)
  const since = ago === undefined ? Date.parse(time) : now - ago
  return groups.filter(({ lastAt }) => Date.parse(lastAt) > since)
}
