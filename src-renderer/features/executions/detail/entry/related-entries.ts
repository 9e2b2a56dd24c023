// The entries about the same command or event.

import type { Command } from '../journal/commands.ts'
import type { EntryLine } from '../journal/entry-line.ts'
import type { Journal } from '../journal/journal.ts'

export type Related = { readonly position: number; readonly label: string }

/** All related entries in history order, including this one; empty when there are no others. */
export const relatedEntries = (journal: Journal, line: EntryLine): readonly Related[] => {
  if (line.eventId !== undefined) return ofEvent(journal, line.eventId)
  const command = line.command === undefined ? undefined : journal.commandOf(line.command)
  return command === undefined ? [] : ofCommand(command)
}

const ofCommand = (command: Command): readonly Related[] => {
  const related: Related[] = [{ position: command.position, label: 'scheduled' }]
  for (const attempt of command.attempts) {
    if (attempt.position === undefined || attempt.position === command.endPosition) continue
    related.push({ position: attempt.position, label: `attempt ${attempt.number} failed` })
  }
  if (command.endPosition !== undefined) related.push({ position: command.endPosition, label: command.outcome })
  return related
}

/** The event's receipt, its delivery, and the start of the wait that took it. */
const ofEvent = (journal: Journal, eventId: string): readonly Related[] => {
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
