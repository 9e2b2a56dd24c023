// `wes history --follow`: prints the history of an Execution, and each new entry as it comes, until the Execution ends.

import { setTimeout as delay } from 'node:timers/promises'
import { executionHandle, type HistoryEntry, type ServiceClient, ServiceRuntimeError } from '#sdk/index.ts'
import { isPassing } from '#sdk/wait-for-result.ts'
import { historyColumns } from './columns.ts'
import { type ExitCode, exitCodeOf } from './execution-commands.ts'
import { checkedList, createProgressCheck, type PageFlags } from './list-commands.ts'
import { readAnswer, type Session } from './session.ts'
import { type Column, createTable } from './table.ts'

/** Before a read that failed is repeated. */
const PAUSE_MS = 1_000

/** Continues over restarts of the service, as a wait for the result does, and gives up when that does. */
export const followHistory = async (session: Session, id: string, flags: PageFlags): Promise<ExitCode> => {
  // Fails at once where nothing answers, or where there is no such Execution.
  const { projectId } = await session.client.getExecution(id)
  const { client } = session.inProject(projectId)
  const stop = new AbortController()
  const { signal } = stop
  const wait = (): Promise<ExitCode> => exitCodeOf(executionHandle(client, id).result({ signal }))
  const news = createNews()
  let isOver = false
  const watching = announceChanges(client, id, signal, news.announce)
  const over = Promise.race([wait(), watching]).then((exitCode) => {
    isOver = true
    news.announce()
    return exitCode
  })
  const printNew = createPrinter(session, client, id, flags)
  const printAll = async (): Promise<ExitCode> => {
    for (;;) {
      await news.next()
      const isLast = isOver
      try {
        await printNew()
        if (isLast) return await over
      } catch (error) {
        if (!(error instanceof ServiceRuntimeError && isPassing(error))) throw error
        await delay(PAUSE_MS, undefined, { signal })
        // Rejects if the service stays away.
        if (isOver) await wait()
        news.announce()
      }
    }
  }
  try {
    return await Promise.race([printAll(), over.then(() => new Promise<never>(() => {}))])
  } finally {
    stop.abort()
    await watching.catch(() => {})
  }
}

/** What was announced several times before it is awaited is news once. There is some at the beginning. */
const createNews = () => {
  let isThere = true
  let wake = (): void => {}
  return {
    announce: (): void => {
      isThere = true
      wake()
    },
    next: async (): Promise<void> => {
      while (!isThere) await new Promise<void>((resolve) => (wake = resolve))
      isThere = false
    },
  }
}

/** Rejects when the service refuses, or with the reason of the signal. */
const announceChanges = async (
  client: ServiceClient,
  id: string,
  signal: AbortSignal,
  announce: () => void,
): Promise<never> => {
  for await (const message of client.streamChanges({ signal, onOpen: announce })) {
    const isOfIt = (message.kind === 'change' || message.kind === 'deleted') && message.change.executionId === id
    if (isOfIt || message.kind === 'reset') announce()
  }
  throw signal.reason
}

/** Prints the entries that came since the last call. Reads the last page again, because no cursor leads beyond it. */
const createPrinter = (
  { terminal, json }: Session,
  client: ServiceClient,
  id: string,
  flags: PageFlags,
): (() => Promise<void>) => {
  const goesOn = createProgressCheck()
  const table = createTable(columns, { columns: terminal.columns, colour: terminal.outColour })
  let { cursor } = flags
  let printed = 0
  return async () => {
    for (;;) {
      const list = checkedList(await client.getHistory(id, { limit: flags.limit, cursor }))
      const fresh = list.items.filter(({ position }) => position > printed)
      printed = fresh.at(-1)?.position ?? printed
      if (fresh.length > 0) {
        const lines = json
          ? fresh.map((entry) => `${JSON.stringify(entry)}\n`).join('')
          : readAnswer(() => table(fresh))
        await terminal.out(lines)
      }
      if (list.nextCursor === null) return
      cursor = goesOn(list).nextCursor ?? undefined
    }
  }
}

/** Of columns whose width is known only from entries that have not come yet. */
const WIDTHS: Readonly<Record<string, number>> = { '#': 3, TYPE: 'effect_attempt_failed'.length, NAME: 16 }

/** Relative to now, all new entries would have the same time. */
const columns: readonly Column<HistoryEntry>[] = historyColumns({ now: 0, iso: true }).map((column) => ({
  ...column,
  minWidth: WIDTHS[column.title] ?? 0,
}))
