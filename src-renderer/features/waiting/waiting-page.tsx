// The Waiting screen: what Executions wait for, longest wait first. A list of several pages has the service's order, by kind and
// name: only the whole of it could be sorted.

import { Link } from '@tanstack/react-router'
import { CalendarClock, Clock3, Mail, Zap, type LucideIcon } from 'lucide-react'
import type { WaitingGroup } from '#sdk/index.ts'
import { waitingQuery } from '../../api/insight-queries.ts'
import { type MoreRows, usePagedList } from '../../api/paged-list.ts'
import { useScope } from '../../api/scope.ts'
import { ABOVE_ROW_LINK, type Column, NAME_IN_TABLE, ROW_LINK } from '../../parts/data-table.tsx'
import { count } from '../../parts/format.ts'
import { ExecutionLink, ProgramLink } from '../../parts/links.tsx'
import { EmptyList } from '../../parts/empty-list.tsx'
import { QueryContent } from '../../parts/query-content.tsx'
import { Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { paths } from '../../paths.ts'
import { withEscapes } from '../../ui/hidden-characters.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { visible } from '../../ui/visible.tsx'

const KINDS: Readonly<Record<WaitingGroup['kind'], { readonly label: string; readonly Icon: LucideIcon }>> = {
  event: { label: 'Event', Icon: Mail },
  timer: { label: 'Timer', Icon: CalendarClock },
  effect: { label: 'Effect', Icon: Zap },
}

const Kind = ({ kind }: Pick<WaitingGroup, 'kind'>) => {
  const { label, Icon } = KINDS[kind]
  return (
    <span className="inline-flex items-center gap-1.5 align-middle text-soft">
      <Icon size={13} />
      {label}
    </span>
  )
}

const executionsOf = ({ kind, name, programId }: WaitingGroup) =>
  paths.executions({ waitingKind: kind, waitingName: name === '' ? undefined : name, programId })

const COLUMNS: readonly Column<WaitingGroup>[] = [
  {
    header: 'Waiting for',
    width: '@lg:min-w-28 @4xl:min-w-40',
    cell: (group) => (
      <Link
        {...executionsOf(group)}
        dir="auto"
        title={withEscapes(group.name)}
        className={`${ROW_LINK} line-clamp-3 wrap-anywhere`}
      >
        {group.name === '' ? 'a timer' : visible(group.name)}
      </Link>
    ),
  },
  { header: 'Kind', width: 'w-24', from: 'wide', cell: (group) => <Kind kind={group.kind} /> },
  {
    header: 'Program',
    cell: ({ programId }) => <ProgramLink id={programId} className={`${ABOVE_ROW_LINK} ${NAME_IN_TABLE}`} />,
  },
  { header: 'Executions', align: 'right', width: 'w-24', cell: (group) => count(group.count) },
  { header: 'Waiting since', width: 'w-32', from: 'medium', cell: (group) => <Ago at={group.oldestSince} /> },
  {
    header: 'Longest waiting',
    width: 'w-32',
    from: 'wide',
    cell: ({ exampleExecutionId }) => <ExecutionLink short id={exampleExecutionId} className={ABOVE_ROW_LINK} />,
  },
]

/** `signal-2` is before `signal-10`. */
const names = new Intl.Collator('en', { numeric: true })

const byAge = (one: WaitingGroup, other: WaitingGroup): number =>
  one.oldestSince.localeCompare(other.oldestSince) || names.compare(one.name, other.name)

export const WaitingPage = () => {
  const query = usePagedList(waitingQuery(useScope()))
  const isOnePage = query.data?.length === 1 && query.more === undefined
  return (
    <>
      <PageHeader title="Waiting">
        {query.data?.[0] !== undefined && query.data[0].length > 0 && (
          <p className="text-soft">What Executions wait for, {isOnePage ? 'longest wait first' : 'by kind and name'}</p>
        )}
      </PageHeader>
      <QueryContent what="the waits" query={query}>
        {(pages) => <WaitingList groups={isOnePage ? pages.flat().toSorted(byAge) : pages.flat()} more={query.more} />}
      </QueryContent>
    </>
  )
}

type WaitingListProps = { readonly groups: readonly WaitingGroup[]; readonly more: MoreRows | undefined }

const WaitingList = ({ groups, more }: WaitingListProps) => {
  if (groups.length === 0) {
    return (
      <EmptyList icon={<Clock3 size={28} />} title="Nothing is waiting">
        No Execution of this project waits for an event, a timer or an effect.
      </EmptyList>
    )
  }
  return (
    <Table
      label="Waiting"
      columns={COLUMNS}
      rows={groups}
      more={more}
      rowKey={({ kind, name, programId }) => `${kind}/${programId}/${name}`}
    />
  )
}
