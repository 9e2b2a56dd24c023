import { expect, it } from 'vitest'
import type { JournalEntry } from '../engine/journal.ts'
import { recordedParts } from './read-journal.ts'

it('reads a history of several pages back, in its order', () => {
  const COUNT = 700
  const fired = (command: number): JournalEntry[] => [
    { position: 2 * command, at: command, type: 'timer_scheduled', command, data: '{}' },
    { position: 2 * command + 1, at: command, type: 'timer_fired', command },
  ]
  const entries: JournalEntry[] = [
    { position: 1, at: 0, type: 'execution_started', data: '{}' },
    ...Array.from({ length: COUNT }, (_, index) => fired(index + 1)).flat(),
  ]
  const recorded = (_key: number, after: number, limit: number) => {
    const items = entries.slice(after, after + limit)
    return { items, more: after + items.length < entries.length }
  }
  const journal = { recorded, entry: () => undefined }
  const turns = [...recordedParts(journal, 1, { turns: COUNT + 1, lastCommand: COUNT })].flat()
  const commands = turns.map(({ delivery }) => ('command' in delivery ? delivery.command : 0))
  expect(commands).toEqual(Array.from({ length: COUNT + 1 }, (_, command) => command))
})
