// Toggles for the statuses, each with its number of Executions.

import type { ExecutionCounts, ExecutionStatus } from '#sdk/index.ts'
import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { count } from '../../../parts/format.ts'
import { StatusIcon } from '../../../parts/status-badge.tsx'
import { classNames } from '../../../ui/class-names.ts'
import { type ListFilter, STATUSES } from './search-filter.ts'

export type StatusTogglesProps = {
  readonly filter: ListFilter
  readonly counts: ExecutionCounts | undefined
  readonly onFilter: (filter: ListFilter) => void
}

export const StatusToggles = ({ filter, counts, onFilter }: StatusTogglesProps) => (
  <div role="group" aria-label="Status" className="flex flex-wrap items-center gap-x-0.5 gap-y-1 xl:gap-x-1">
    {STATUSES.map((status) => (
      <Toggle
        key={status}
        pressed={filter.status?.includes(status) === true}
        number={counts?.counts[status]}
        icon={<StatusIcon status={status} />}
        // Columns of one width: what is beside a count stays where it is when that is read.
        className="xl:min-w-34"
        onClick={() => onFilter(withStatus(filter, status))}
      >
        {status}
      </Toggle>
    ))}
  </div>
)

/** Toggles one status; a selected status is no longer excluded. */
const withStatus = ({ status = [], notStatus = [], ...rest }: ListFilter, one: ExecutionStatus): ListFilter => {
  const chosen = status.includes(one) ? status.filter((other) => other !== one) : [...status, one]
  const left = notStatus.filter((other) => other !== one)
  return { ...rest, ...(chosen.length > 0 && { status: chosen }), ...(left.length > 0 && { notStatus: left }) }
}

export const NeedsAttention = ({ filter, counts, onFilter }: StatusTogglesProps) => {
  const { needsAttention, ...rest } = filter
  return (
    <Toggle
      pressed={needsAttention === true}
      number={counts?.needsAttention}
      icon={<TriangleAlert size={12} className="text-waiting" />}
      title="Failed, retrying, or waiting for the same event for over an hour"
      onClick={() => onFilter(needsAttention === true ? rest : { ...rest, needsAttention: true })}
    >
      Needs attention
    </Toggle>
  )
}

const Toggle = ({
  pressed,
  number,
  icon,
  title,
  className,
  onClick,
  children,
}: {
  readonly pressed: boolean
  readonly number: number | undefined
  readonly icon: ReactNode
  readonly title?: string
  readonly className?: string
  readonly onClick: () => void
  readonly children: ReactNode
}) => (
  <button
    type="button"
    aria-pressed={pressed}
    title={title}
    onClick={onClick}
    className={classNames(
      'inline-flex h-6.5 items-center gap-1.5 rounded-md border px-2 whitespace-nowrap select-none',
      pressed ? 'border-accent bg-selected text-ink' : 'border-transparent text-soft hover:bg-hover hover:text-ink',
      className,
    )}
  >
    {/* Without icons all statuses fit into one line also where the window is narrow. */}
    <span className="hidden @min-[52rem]:inline">{icon}</span>
    {children}
    <span className={classNames('tabular min-w-[1ch] text-xs beside-data', pressed ? 'text-ink' : 'text-faint')}>
      {number !== undefined && count(number)}
    </span>
  </button>
)
