// The entries about the same command or event. An effect may have thousands of attempts: of those, the ones near the entry.

import type { Command } from '../journal/commands.ts'
import type { EntryLine } from '../journal/entry-line.ts'
import type { Journal } from '../journal/journal.ts'

/** `skipped`: how many between it and the one before are left out. */
export type Related = { readonly position: number; readonly label: string; readonly skipped: number }

type Entry = Pick<Related, 'position' | 'label'>

/** How many are shown on each side of the entry, and at both ends. */
const NEAR = 3
const AT_ENDS = 2

/** The related entries in history order, including this one; empty when there are no others. */
export const relatedEntries = (journal: Journal, line: EntryLine): readonly Related[] => {
  const all = allRelated(journal, line)
  const own = all.findIndex(({ position }) => position === line.position)
  const shown: Related[] = []
  let before = -1
  for (const [index, entry] of all.entries()) {
    const isAtEnd = index < AT_ENDS || index >= all.length - AT_ENDS
    if (!isAtEnd && Math.abs(index - own) > NEAR) continue
    shown.push({ ...entry, skipped: index - before - 1 })
    before = index
  }
  return shown
}

const allRelated = (journal: Journal, line: EntryLine): readonly Entry[] => {
  if (line.eventId !== undefined) return ofEvent(journal, line.eventId)
  const command = line.command === undefined ? undefined : journal.commandOf(line.command)
  return command === undefined ? [] : ofCommand(command)
}

const ofCommand = (command: Command): readonly Entry[] => {
  const related: Entry[] = [{ position: command.position, label: 'scheduled' }]
  for (const attempt of command.attempts) {
    if (attempt.position === undefined || attempt.position === command.endPosition) continue
    related.push({ position: attempt.position, label: `attempt ${attempt.number} failed` })
  }
  if (command.endPosition !== undefined) related.push({ position: command.endPosition, label: command.outcome })
  return related
}

/** The event's receipt, its delivery, and the start of the wait that took it. */
const ofEvent = (journal: Journal, eventId: string): readonly Entry[] => {
  const lines = journal.lines.filter((line) => line.eventId === eventId)
  const received = lines.find((line) => line.type === 'event_received')
  const delivered = lines.find((line) => line.type === 'event_delivered')
  const wait = delivered?.command === undefined ? undefined : journal.commandOf(delivered.command)
  return [
    ...(wait === undefined ? [] : [{ position: wait.position, label: 'wait scheduled' }]),
    ...(received === undefined ? [] : [{ position: received.position, label: 'received' }]),
    ...(delivered === undefined ? [] : [{ position: delivered.position, label: 'delivered' }]),
  ].toSorted((one, other) => one.position - other.position)
}
