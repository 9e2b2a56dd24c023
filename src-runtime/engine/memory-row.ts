// One Execution's row and journal in memory. It applies Changes as the store does, for tests of the engine and for
// authors' tests of their Programs.

import type { Change } from './change.ts'
import type { BufferedEvent, ExecutionHead, LoadedExecution, OpenCommand } from './execution-state.ts'
import { isTerminal, type JournalEntry, type JsonText } from './journal.ts'

type Start = { readonly id: string; readonly programId: string; readonly createdAt: number }

export type MemoryRow = {
  readonly head: () => ExecutionHead
  readonly journal: readonly JournalEntry[]
  readonly hasOpenWait: (name: string, at: number) => boolean
  readonly open: (command: number) => OpenCommand | undefined
  /** Writes what `decide` returns, and returns the position of its first entry. */
  readonly change: (decide: (head: ExecutionHead) => Change | undefined) => {
    readonly change: Change | undefined
    readonly firstPosition: number
  }
  readonly load: () => LoadedExecution
}

export const queuedHead = ({ id, programId, createdAt }: Start): ExecutionHead => ({
  key: 1,
  id,
  projectId: 'default',
  programId,
  versionId: 'ver_1',
  versionNumber: 1,
  status: 'queued',
  createdAt,
  lastPosition: 1,
  turns: 0,
  lastCommand: 0,
  cancelDelivered: false,
  buffered: 0,
  bufferedBytes: 0,
})

/** `bytesOf`: the length as UTF-8. */
export const createMemoryRow = (start: Start, startData: JsonText, bytesOf: (data: JsonText) => number): MemoryRow => {
  let head = queuedHead(start)
  const journal: JournalEntry[] = [{ position: 1, at: start.createdAt, type: 'execution_started', data: startData }]
  const open = new Map<number, OpenCommand>()
  const buffered = new Map<number, BufferedEvent>()

  const append = (entries: Change['entries'] = []): number => {
    let position = head.lastPosition
    for (const entry of entries) {
      position += 1
      journal.push({ ...entry, position })
      if (entry.type !== 'event_received') continue
      const { data = '{}', name = '', at } = entry
      const { id } = JSON.parse(data) as { id: string }
      buffered.set(position, { position, id, name, receivedAt: at, bytes: bytesOf(data) })
    }
    return position
  }

  const write = (change: Change): number => {
    const firstPosition = head.lastPosition + 1
    const lastPosition = append(change.entries)
    if (change.closed === 'all') open.clear()
    else for (const command of change.closed ?? []) open.delete(command)
    for (const command of change.opened ?? []) open.set(command.command, placed(command, change, firstPosition))
    for (const command of change.rescheduled ?? []) open.set(command.command, command)
    if (change.consumed === 'all') buffered.clear()
    else for (const consumed of change.consumed ?? []) buffered.delete(consumed)
    const { entries, opened, closed, rescheduled, consumed, error, ...columns } = change
    head = { ...head, ...columns, lastPosition }
    if (isTerminal(head.status)) {
      open.clear()
      buffered.clear()
    }
    const bufferedBytes = [...buffered.values()].reduce((sum, { bytes }) => sum + bytes, 0)
    head = { ...head, buffered: buffered.size, bufferedBytes }
    return firstPosition
  }

  return {
    head: () => head,
    journal,
    hasOpenWait: (name, at) =>
      [...open.values()].some(
        (wait) => wait.kind === 'event' && wait.name === name && (wait.dueAt === undefined || wait.dueAt > at),
      ),
    open: (command) => open.get(command),
    change: (decide) => {
      const change = decide(head)
      return { change, firstPosition: change === undefined ? 0 : write(change) }
    },
    load: () => ({ head, open: [...open.values()], buffered: [...buffered.values()] }),
  }
}

/** Adds to a wait its position in the journal. */
const placed = (command: OpenCommand, { entries = [] }: Change, firstPosition: number): OpenCommand => {
  if (command.kind !== 'event') return command
  const index = entries.findIndex((entry) => entry.type === 'wait_scheduled' && entry.command === command.command)
  return { ...command, position: firstPosition + index }
}
