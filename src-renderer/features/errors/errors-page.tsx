// The Errors screen: failures grouped by cause.

import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import type { ErrorGroup } from '#sdk/index.ts'
import { errorsQuery } from '../../api/insight-queries.ts'
import { type MoreRows, usePagedList } from '../../api/paged-list.ts'
import { useScope } from '../../api/scope.ts'
import { ABOVE_ROW_LINK, type Column, NAME_IN_TABLE, ROW_LINK } from '../../parts/data-table.tsx'
import { count } from '../../parts/format.ts'
import { ExecutionLink, ProgramLink } from '../../parts/links.tsx'
import { EmptyList } from '../../parts/empty-list.tsx'
import { QueryContent } from '../../parts/query-content.tsx'
import { Table } from '../../parts/table.tsx'
import { tellingName } from '../../parts/telling-name.ts'
import { Ago } from '../../parts/time.tsx'
import { paths } from '../../paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { withEscapes } from '../../ui/hidden-characters.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { visible } from '../../ui/visible.tsx'

const COLUMNS: readonly Column<ErrorGroup>[] = [
  {
    header: 'Error',
    width: '@lg:min-w-32 @5xl:min-w-60',
    cell: (group) => (
      <div className="min-w-0">
        <Link
          {...paths.executions({ errorFingerprint: group.fingerprint })}
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
  { header: 'Executions', align: 'right', width: 'w-24', cell: (group) => count(group.count) },
  { header: 'First seen', width: 'w-24', from: 'widest', cell: ({ firstAt }) => <Ago at={firstAt} /> },
  { header: 'Last seen', width: 'w-28', from: 'medium', cell: ({ lastAt }) => <Ago at={lastAt} /> },
  {
    header: 'Latest Execution',
    width: 'w-32',
    from: 'wide',
    cell: ({ exampleExecutionId }) => <ExecutionLink short id={exampleExecutionId} className={ABOVE_ROW_LINK} />,
  },
]

export const ErrorsPage = () => {
  const query = usePagedList(errorsQuery(useScope()))
  return (
    <>
      <PageHeader title="Errors">
        {query.data?.[0] !== undefined && query.data[0].length > 0 && (
          <p className="text-soft">Failures grouped by cause, newest first</p>
        )}
      </PageHeader>
      <QueryContent what="the errors" query={query}>
        {(pages) => <ErrorList groups={pages.flat()} more={query.more} />}
      </QueryContent>
    </>
  )
}

type ErrorListProps = { readonly groups: readonly ErrorGroup[]; readonly more: MoreRows | undefined }

const ErrorList = ({ groups, more }: ErrorListProps) => {
  if (groups.length === 0) {
    return (
      <EmptyList icon={<CircleCheck size={28} />} title="No failures">
        No Execution of this project has failed.
      </EmptyList>
    )
  }
  return (
    <Table
      label="Errors"
      columns={COLUMNS}
      rows={groups}
      more={more}
      rowKey={({ programId, fingerprint }) => `${programId}/${fingerprint}`}
    />
  )
}
