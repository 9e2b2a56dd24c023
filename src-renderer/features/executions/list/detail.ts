// The detail line of an Execution: its error, or what it waits for. Pure.

import type { ExecutionSummary, Waiting } from '#sdk/index.ts'
import type { ListedExecution } from '../../../api/executions-query.ts'
import { count, duration } from '../../../parts/format.ts'
import { tellingName } from '../../../parts/telling-name.ts'
import type { ListFilter } from './search-filter.ts'

export type Detail = {
  readonly kind: 'error' | 'waiting' | 'none'
  readonly text: string
}

const NONE: Detail = { kind: 'none', text: '' }
/** It awaits a promise of its own. */
const STUCK: Detail = { kind: 'waiting', text: 'never continues: no event, timer or effect settles what it awaits' }

/** `now` in milliseconds since the epoch. */
export const detailOf = (
  { status, error, waitingFor, unread }: Pick<ListedExecution, 'status' | 'error' | 'waitingFor' | 'unread'>,
  now: number,
): Detail => {
  if (error !== undefined) return { kind: 'error', text: errorLine(error) }
  const [first, ...others] = waitingFor
  if (first === undefined) return status === 'waiting' && unread === undefined ? STUCK : NONE
  const more = others.length === 0 ? '' : ` and ${count(others.length)} more`
  return { kind: 'waiting', text: awaited(first, now) + more }
}

/** Whether every Execution that matches has an error, or waits. */
export const eachHasDetail = (filter: ListFilter): boolean =>
  filter.needsAttention === true ||
  filter.waitingKind !== undefined ||
  filter.errorFingerprint !== undefined ||
  filter.status?.every((status) => status === 'failed' || status === 'waiting') === true

/** An error in one line, with what its causes add: `fetch failed` alone does not say why. */
export const errorLine = (error: NonNullable<ExecutionSummary['error']>): string => {
  const { name, code } = error
  let line = firstLine(error.message)
  for (let { cause } = error; cause !== undefined; { cause } = cause) {
    const because = firstLine(cause.message)
    // An error of an effect has the message of its cause.
    if (!line.includes(because)) line += (line && ': ') + because
  }
  if (line === '') return name ?? code
  const head = name === undefined ? code : tellingName(name)
  return head === undefined ? line : `${head}: ${line}`
}

const firstLine = (message: string): string => message.trimStart().split('\n', 1)[0] ?? ''

const awaited = (waiting: Waiting, now: number): string => {
  switch (waiting.kind) {
    case 'event':
      return `event ${waiting.name}`
    case 'timer':
      return `timer${inTime(waiting.wakeAt, now)}`
    case 'effect':
      return waiting.nextAttemptAt === undefined
        ? `${waiting.name}, attempt ${waiting.attempt}`
        : `${waiting.name}, attempt ${waiting.attempt}${inTime(waiting.nextAttemptAt, now)}`
  }
}

const inTime = (at: string, now: number): string => {
  const left = Date.parse(at) - now
  return left <= 0 ? ' now' : ` in ${duration(left)}`
}
