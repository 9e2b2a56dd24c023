// The filter that a query or a body asks for, as the store takes it.

import { ApiError } from '../contract/errors.ts'
import type { BulkFilter } from '../contract/inspection-models.ts'
import { executionStatuses } from '../contract/models.ts'
import type { Status } from '../engine/journal.ts'
import type { ExecutionFilter } from '../ports/overview.ts'
import { parseTime } from './parse-time.ts'

/** `part` is where it came from: `query`, or `body/filter`. */
export const readFilter = (part: string, projectId: string, asked: BulkFilter): ExecutionFilter => ({
  projectId,
  ...statuses(listOf(asked.status), listOf(asked.notStatus)),
  ...(asked.programId !== undefined && { programId: asked.programId }),
  ...(asked.notProgramId !== undefined && { notProgramIds: listOf(asked.notProgramId) }),
  ...(asked.version !== undefined && { versionNumber: asked.version }),
  ...times(part, asked),
  ...(asked.q !== undefined && asked.q !== '' && { text: asked.q }),
  ...(asked.notQ !== undefined && asked.notQ !== '' && { notText: asked.notQ }),
  ...(asked.label !== undefined && asked.label !== '' && { label: asked.label }),
  ...(asked.needsAttention === true && { needsAttention: true }),
  ...waits(asked),
  ...(asked.errorFingerprint !== undefined && { errorFingerprint: asked.errorFingerprint }),
  ...(asked.triggerId !== undefined && { triggerId: asked.triggerId }),
  ...(asked.againOf !== undefined && { againOf: [...new Set(listOf(asked.againOf))] }),
})

const listOf = <Item>(value: Item | readonly Item[] | undefined): readonly Item[] =>
  value === undefined ? [] : Array.isArray(value) ? (value as readonly Item[]) : [value as Item]

const statuses = (wanted: readonly Status[], unwanted: readonly Status[]): { statuses?: readonly Status[] } => {
  if (wanted.length === 0 && unwanted.length === 0) return {}
  const candidates = wanted.length === 0 ? executionStatuses : [...new Set(wanted)]
  return { statuses: candidates.filter((status) => !unwanted.includes(status)) }
}

/** Timers have no name, so the empty name stands for them. */
const waits = ({ waitingKind, waitingName }: BulkFilter): Pick<ExecutionFilter, 'waitingKind' | 'waitingName'> => {
  if (waitingName === '' && (waitingKind ?? 'timer') === 'timer') return { waitingKind: 'timer' }
  return { ...(waitingKind !== undefined && { waitingKind }), ...(waitingName !== undefined && { waitingName }) }
}

const TIMES = ['createdAfter', 'createdBefore', 'finishedAfter', 'finishedBefore'] as const

const times = (part: string, asked: BulkFilter): Partial<Record<(typeof TIMES)[number], number>> => {
  const read: Partial<Record<(typeof TIMES)[number], number>> = {}
  for (const name of TIMES) {
    const text = asked[name]
    if (text !== undefined) read[name] = timeOf(`${part}/${name}`, text)
  }
  return read
}

export const timeOf = (name: string, text: string): number => {
  const at = parseTime(text)
  if (at === undefined) {
    throw new ApiError('invalid_request', `${name} must be an ISO 8601 time such as 2026-01-31T12:00:00.000Z`)
  }
  return at
}
