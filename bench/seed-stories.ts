// The journals of seeded Executions, one story for each possible status. The journals match the code of the Programs, so
// that a runtime can replay them.

import type { Change } from '../src-runtime/engine/change.ts'
import type { ExecutionError, NewEntry } from '../src-runtime/engine/journal.ts'

/** The inputs of a story. */
export type Circumstances = {
  /** When it started, and when the seeding ends. Nothing happens after that. */
  readonly at: number
  readonly until: number
  /** Unique; starts at 0. */
  readonly number: number
  /** A random number from 0 to 1. */
  readonly chance: () => number
  readonly newEventId: () => string
}

const SECOND_MS = 1_000
const DAY_MS = 86_400_000

type Ending = (at: number) => Pick<Change, 'status' | 'error' | 'finishedAt' | 'entries'>

/** The entries, then the outcome. */
const told = (
  it: Circumstances,
  happened: readonly NewEntry[],
  commands: number,
  turns: number,
  end: Ending,
): Change => {
  const ended = end(Math.min(it.until, (happened.at(-1)?.at ?? it.at) + Math.ceil(it.chance() * 20)))
  return {
    startedAt: it.at + 1,
    turns,
    lastCommand: commands,
    ...ended,
    entries: [...happened, ...(ended.entries ?? [])],
  }
}

export const ends =
  ({ number }: Circumstances, status: 'completed'): Ending =>
  (at) => ({
    status,
    finishedAt: at,
    entries: [{ at, type: 'execution_completed', data: json({ result: { number } }) }],
  })

export const fails =
  (_: Circumstances, error: ExecutionError): Ending =>
  (at) => ({
    status: 'failed',
    error,
    finishedAt: at,
    entries: [{ at, type: 'execution_failed', data: json({ error }) }],
  })

export const approved = (it: Circumstances, end: Ending): Change => {
  const { at, number } = it
  const heard = Math.min(it.until, at + Math.ceil(it.chance() ** 4 * DAY_MS))
  const slept = Math.min(it.until, heard + SECOND_MS)
  const id = it.newEventId()
  const happened: readonly NewEntry[] = [
    log(at + 1, `order A-${number}`),
    { at: at + 1, type: 'wait_scheduled', command: 1, name: 'approved', data: '{}' },
    { at: heard, type: 'event_received', name: 'approved', data: json({ id, payload: { by: 'grace' } }) },
    { at: heard, type: 'event_delivered', command: 1, name: 'approved', source: 4, data: json({ id }) },
    { at: heard, type: 'timer_scheduled', command: 2, data: json({ wakeAt: iso(heard + SECOND_MS) }) },
    { at: slept, type: 'timer_fired', command: 2 },
  ]
  return told(it, happened, 2, 3, end)
}

export const cancelledWhileWaiting = (it: Circumstances): Change => {
  const { at, number } = it
  const asked = Math.min(it.until, at + Math.ceil(it.chance() * 3_600 * SECOND_MS))
  const happened: readonly NewEntry[] = [
    log(at + 1, `order A-${number}`),
    { at: at + 1, type: 'wait_scheduled', command: 1, name: 'approved', data: '{}' },
    { at: asked, type: 'cancel_requested' },
  ]
  const end: Ending = (ended) => ({
    status: 'cancelled',
    finishedAt: ended,
    entries: [{ at: ended, type: 'execution_cancelled' }],
  })
  return { ...told(it, happened, 1, 2, end), cancelRequestedAt: asked, cancelDelivered: true }
}

export const waitsForEvent = ({ at, number }: Circumstances, name: string): Change => ({
  startedAt: at + 1,
  status: 'waiting',
  turns: 1,
  lastCommand: 1,
  entries: [log(at + 1, `order A-${number}`), { at: at + 1, type: 'wait_scheduled', command: 1, name, data: '{}' }],
  opened: [{ kind: 'event', command: 1, name, since: at + 1 }],
})

export const effectDone = (it: Circumstances, end: Ending): Change => {
  const done = Math.min(it.until, it.at + Math.ceil(it.chance() * 2 * SECOND_MS))
  const scheduled = effectScheduled(it)
  const data = json({ result: { receipt: it.number } })
  const completed: NewEntry = { at: done, type: 'effect_completed', command: 1, name: 'chargeCard', attempt: 1, data }
  return told(it, [scheduled, completed], 1, 2, end)
}

const effectScheduled = ({ at, number }: Circumstances): NewEntry => ({
  at: at + 1,
  type: 'effect_scheduled',
  command: 1,
  name: 'chargeCard',
  data: json({ input: { customer: `cus_${number % 4_000}` } }),
})

/** The next attempt is weeks away, so that the status does not change. */
export const backsOff = (it: Circumstances): Change => {
  const dueAt = it.until + 30 * DAY_MS
  const error = { code: 'effect_failed', name: 'Error', message: `503 from payments.example (try ${it.number % 5})` }
  return {
    startedAt: it.at + 1,
    status: 'waiting',
    turns: 1,
    lastCommand: 1,
    entries: [
      effectScheduled(it),
      {
        at: Math.min(it.until, it.at + 500),
        type: 'effect_attempt_failed',
        command: 1,
        name: 'chargeCard',
        attempt: 1,
        data: json({ error, nextAttemptAt: iso(dueAt) }),
      },
    ],
    opened: [{ kind: 'effect', command: 1, name: 'chargeCard', since: it.at + 1, attempt: 2, dueAt, options: {} }],
  }
}

/** No timer fires while somebody looks at the Executions. */
export const wakeAt = ({ until }: Circumstances): number => until + 30 * DAY_MS
const sleeps = (it: Circumstances): readonly NewEntry[] => [
  log(it.at + 1, 'begins'),
  { at: it.at + 1, type: 'timer_scheduled', command: 1, data: json({ wakeAt: iso(wakeAt(it)) }) },
]

export const slept = (it: Circumstances, end: Ending): Change => {
  const woke = Math.min(it.until, it.at + Math.ceil(it.chance() * 600 * SECOND_MS))
  return told(it, [...sleeps(it), { at: woke, type: 'timer_fired', command: 1 }], 1, 2, end)
}

export const sleepsOn = (it: Circumstances): Change => ({
  startedAt: it.at + 1,
  status: 'waiting',
  turns: 1,
  lastCommand: 1,
  entries: sleeps(it),
  opened: [{ kind: 'timer', command: 1, since: it.at + 1, dueAt: wakeAt(it) }],
})

export const atOnce = (it: Circumstances, end: Ending): Change => told(it, [], 0, 1, end)

export const declined = ({ number }: Circumstances): ExecutionError => ({
  code: 'program_error',
  name: 'CardDeclinedError',
  message: `The card of order A-${number} was declined: insufficient funds`,
  stack:
    'CardDeclinedError: declined\n    at charge (programs/order-approval.ts:31:11)\n    at run (programs/order-approval.ts:18:22)',
})

export const unreachable = ({ number }: Circumstances): ExecutionError => ({
  code: 'effect_failed',
  name: 'EffectError',
  message: `chargeCard failed after 5 attempts: connect ECONNREFUSED 10.0.${number % 7}.12:443`,
  stack: 'EffectError\n    at run (programs/charge-subscription.ts:9:30)',
})

export const typeError = ({ number }: Circumstances): ExecutionError => ({
  code: 'program_error',
  name: 'TypeError',
  message: `Cannot read properties of undefined (reading 'total')\nwhile adding row ${number}`,
  stack: 'TypeError: Cannot read properties of undefined\n    at sum (programs/nightly-report.ts:44:19)',
})

export const outOfMemory = (): ExecutionError => ({
  code: 'program_out_of_memory',
  message: 'The Program used more than 64 MiB',
})

const log = (at: number, message: string): NewEntry => ({ at, type: 'log', data: json({ level: 'info', message }) })
const json = (value: unknown): string => JSON.stringify(value)
const iso = (at: number): string => new Date(at).toISOString()
