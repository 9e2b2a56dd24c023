// Compares what callers were told, what effects did and what was metered with the journals.

import type { ServiceClient } from '#sdk/index.ts'
import {
  countJournals,
  extraFirings,
  findSecrets,
  leftovers,
  miscountedTurns,
  readFirings,
  readResults,
  rowsOfRemoved,
  withDatabase,
  type Rows,
} from './database.ts'
import { operationsOf } from '#contract/operations.ts'
import type { LedgerCall } from './ledger.ts'
import { checkJournal, type Acknowledged } from '../check-journal.ts'
import type { Load } from './load.ts'
import { CHARGES, HOSTILE, TICKS, type ProgramId } from './project.ts'
import { scheduleFaults } from './schedule-faults.ts'
import { SCHEDULE_MS, type ChaosService } from './service.ts'

const CHECKS_AT_ONCE = 8

export type Checked = {
  readonly faults: readonly string[]
  readonly figures: Readonly<Record<string, number>>
}

export const checkAll = async (service: ChaosService, load: Load): Promise<Checked> => {
  const { client, ledger, folder, secrets, leaks } = service
  const faults = [...load.surprises]
  if (ledger.strangers > 0) faults.push(`${ledger.strangers} calls of the ledger had no key from the environment`)
  const one = load.acknowledged.values()
  const checker = async (): Promise<void> => {
    for (const acknowledged of one) faults.push(...(await faultsOf(client, acknowledged)))
  }
  await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, checker))
  await readEverything(service, load.acknowledged)
  const counted = await withDatabase(service.ownerUrl(), async (rows) => {
    faults.push(...(await resultFaults(rows, ledger.calls)))
    for (const { id } of await extraFirings(rows))
      faults.push(`${id}: a time of the schedule started it, and another one`)
    const firings = await readFirings(rows)
    faults.push(...scheduleFaults(Date.parse(service.schedule.nextFireAt!), SCHEDULE_MS, firings))
    for (const { id, turns, deliveries } of await miscountedTurns(rows)) {
      faults.push(`${id}: it has ${turns} turns, and its journal has ${deliveries} deliveries`)
    }
    for (const { kind, count } of await leftovers(rows))
      faults.push(`${count} rows of ended Executions are left in ${kind}`)
    for (const { name, count } of await rowsOfRemoved(rows))
      faults.push(`${count} rows of removed workspaces are left in ${name}`)
    faults.push(...(await findSecrets(rows, folder, secrets)))
    const latestMs = Math.max(0, ...firings.map(({ at, startedAt }) => startedAt - at))
    return { ...(await compareUsage(client, rows, faults)), 'ms that the schedule was late at most': latestMs }
  })
  faults.push(...new Set(leaks))
  return {
    faults,
    figures: {
      acknowledged: load.acknowledged.length,
      'acknowledged events': load.acknowledged.reduce((sum, { events }) => sum + events.size, 0),
      cancelled: load.acknowledged.filter(({ cancelled }) => cancelled === true).length,
      calls: load.calls,
      'calls of effects': ledger.calls.length,
      ...counted,
    },
  }
}

/** Asks for everything that can be read, so that secrets are looked for in it. */
const readEverything = async (
  { read, noteLeaks }: ChaosService,
  acknowledged: readonly Acknowledged<ProgramId>[],
): Promise<void> => {
  const id = acknowledged.find(({ program }) => program === 'triggered')?.id ?? 'exe_none'
  for (const [, { method, path }] of operationsOf('hosted')) {
    if (method !== 'GET') continue
    const filled = path
      .replace('/executions/:id', `/executions/${id}`)
      .replace('/programs/:id', '/programs/triggered')
      .replace(':projectId', 'default')
      .replace(':number', '1')
    noteLeaks(`GET ${path}`, await read(filled))
  }
}

const METERED = ['executions', 'turns', 'effectAttempts', 'events'] as const

/** The schedule goes on meanwhile: usage is read between two counts, and must be between them. */
const compareUsage = async (client: ServiceClient, rows: Rows, faults: string[]) => {
  const before = await countJournals(rows)
  const { total } = await client.getUsage({ from: new Date(Date.now() - 86_400_000).toISOString().slice(0, 10) })
  const after = await countJournals(rows)
  for (const metric of METERED) {
    if (total[metric] < before[metric] || total[metric] > after[metric]) {
      faults.push(`usage has ${total[metric]} ${metric}, the journals have ${before[metric]} to ${after[metric]}`)
    }
  }
  return after
}

/** Each result was used once, for the command whose effect it is, and is one that the ledger gave. */
const resultFaults = async (rows: Rows, calls: readonly LedgerCall[]): Promise<readonly string[]> => {
  const faults: string[] = []
  const commands = new Set<string>()
  const receipts = new Set<number>()
  for (const { id, command, attempt, data } of await readResults(rows)) {
    const { result } = JSON.parse(data) as { result: { key: string; receipt: number } }
    const key = `${id}/${command}`
    const call = calls[result.receipt - 1]
    if (commands.has(key)) faults.push(`${key} completed twice`)
    if (receipts.has(result.receipt)) faults.push(`${key}: the receipt ${result.receipt} was used twice`)
    if (call?.key !== key || call.attempt !== attempt || result.key !== key) {
      faults.push(`${key}, attempt ${attempt}: its result is ${data}, and the ledger has ${JSON.stringify(call)}`)
    }
    commands.add(key)
    receipts.add(result.receipt)
  }
  return faults
}

/** The differences between what was acknowledged of one Execution and what the API says of it. */
const faultsOf = async (client: ServiceClient, one: Acknowledged<ProgramId>): Promise<readonly string[]> => {
  const { execution, faults, expect, sumOf } = await checkJournal(client, one)
  const end = HOSTILE.get(one.program)
  if (end !== undefined) {
    expect('the status', execution.status, 'failed')
    expect('the error', execution.error?.code, end)
    return faults
  }
  const isCancelled = one.cancelled === 'unanswered' ? execution.status === 'cancelled' : one.cancelled
  expect('the status', execution.status, isCancelled ? 'cancelled' : 'completed')
  if (execution.status !== 'completed') return faults
  const result = execution.result as { n: number; sum?: number; charges?: readonly { key: string }[] }
  expect('n', result.n, one.n)
  if (one.program === 'mixed' || one.program === 'tally') expect('the sum', result.sum, sumOf(TICKS))
  const keys = CHARGES[one.program].map((command) => `${one.id}/${command}`)
  expect(
    'the charges',
    (result.charges ?? []).map(({ key }) => key),
    keys,
  )
  if (one.result !== undefined) expect('the result that was read before', one.result, execution.result)
  return faults
}
