// Compares what callers were told of one Execution with its history, as far as that does not depend on its Program.

import type { Execution, HistoryEntry, ServiceClient } from '#sdk/index.ts'

/** The acknowledged requests of one Execution. */
export type Acknowledged<ProgramId extends string = string> = {
  readonly id: string
  readonly program: ProgramId
  readonly n: number
  /** Payloads by event id. */
  readonly events: Map<string, number>
  /** `unanswered`: a cancel was sent, and may have been accepted. */
  cancelled: boolean | 'unanswered'
  result?: unknown
}

export type CheckedJournal = {
  readonly execution: Execution
  /** Grows with each difference that `expect` finds. */
  readonly faults: string[]
  expect(what: string, found: unknown, wanted: unknown): void
  of(type: HistoryEntry['type']): readonly HistoryEntry[]
  /** The sum of the payloads of the first events. */
  sumOf(events: number): number
}

export const checkJournal = async (client: ServiceClient, one: Acknowledged): Promise<CheckedJournal> => {
  const faults: string[] = []
  const expect: CheckedJournal['expect'] = (what, found, wanted) => {
    const [is, was] = [JSON.stringify(found), JSON.stringify(wanted)]
    if (is !== was) faults.push(`${one.id} (${one.program}): ${what} is ${is}, not ${was}`)
  }
  const execution = await client.getExecution(one.id)
  const history = await wholeHistory(client, one.id)
  const of: CheckedJournal['of'] = (type) => history.filter((entry) => entry.type === type)
  expect('the input', execution.input, { n: one.n })
  expect(
    'the order of the history',
    history.map(({ position }) => position),
    history.map((_, index) => index + 1),
  )

  const received = of('event_received').map(({ data }) => data as { id: string; payload: number })
  const ids = received.map(({ id }) => id)
  for (const id of one.events.keys()) if (!ids.includes(id)) faults.push(`${one.id}: event ${id} was lost`)
  const delivered = of('event_delivered').map(({ data }) => (data as { id: string }).id)
  expect('what was delivered, first in, first out,', delivered, ids.slice(0, delivered.length))
  for (const { command, attempt } of of('effect_completed')) {
    const failed = of('effect_attempt_failed').filter((entry) => entry.command === command)
    expect(
      `the failed attempts of ${command}`,
      failed.map((entry) => entry.attempt),
      Array.from({ length: attempt! - 1 }, (_, index) => index + 1),
    )
  }
  const sumOf = (events: number): number => received.slice(0, events).reduce((sum, { payload }) => sum + payload, 0)
  return { execution, faults, expect, of, sumOf }
}

export const wholeHistory = async (client: ServiceClient, id: string): Promise<readonly HistoryEntry[]> => {
  const entries: HistoryEntry[] = []
  let cursor: string | undefined
  do {
    const page = await client.getHistory(id, { limit: 200, ...(cursor !== undefined && { cursor }) })
    entries.push(...page.items)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return entries
}
