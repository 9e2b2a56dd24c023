// The journal of one Execution with a long history: commands of all three kinds, their results, events and logs.

import type { Change } from '../src-runtime/engine/change.ts'
import type { NewEntry } from '../src-runtime/engine/journal.ts'

export type LongHistory = {
  /** The number of entries, including the first and the last. */
  readonly entries: number
  readonly commands: number
  /** When it started; it ends at `until`. */
  readonly at: number
  readonly until: number
  readonly newEventId: () => string
}

const PER_CHANGE = 2_000
/** The start, which is written earlier, and the end. */
const BOTH_ENDS = 2
/** A wait has four entries: it is scheduled, the event is received and delivered, the Program logs it. */
const SHORTEST_STORY = 4

/** The changes to write, in order. Throws if there are too few entries for the commands. */
export const longHistory = (asked: LongHistory): readonly Change[] => {
  const { entries, commands, at, until, newEventId } = asked
  const logs = entries - BOTH_ENDS - entriesOf(commands)
  if (logs < 0) throw new Error(`${commands} commands need ${entriesOf(commands) + BOTH_ENDS} entries at least`)
  const written: NewEntry[] = []
  const timeOf = () => at + 1 + Math.floor(((written.length + 1) / entries) * (until - at - 1))
  for (let command = 1; command <= commands; command++) {
    // Positions begin at 2, after `execution_started`.
    written.push(...answered(command, timeOf(), written.length + 2, newEventId))
    const logsSoFar = Math.round((command / commands) * logs) - Math.round(((command - 1) / commands) * logs)
    for (let line = 0; line < logsSoFar; line++) written.push(logged(command, line, timeOf()))
  }
  if (commands === 0) for (let line = 0; line < logs; line++) written.push(logged(0, line, timeOf()))
  written.push({ at: until, type: 'execution_completed', data: json({ result: { commands } }) })
  return inChanges(written, asked)
}

const KINDS = ['effect', 'timer', 'wait'] as const

const entriesOf = (commands: number): number => {
  const waits = Math.floor(commands / KINDS.length)
  return (commands - waits) * 2 + waits * (SHORTEST_STORY - 1)
}

const answered = (command: number, at: number, position: number, newEventId: () => string): readonly NewEntry[] => {
  const kind = KINDS[(command - 1) % KINDS.length]!
  switch (kind) {
    case 'effect': {
      const input = { page: command, of: 'https://api.example/orders' }
      const result = { rows: Array.from({ length: command % 5 }, (_, row) => ({ id: command * 10 + row, total: row })) }
      return [
        { at, type: 'effect_scheduled', command, name: 'fetchPage', data: json({ input }) },
        { at: at + 1, type: 'effect_completed', command, name: 'fetchPage', attempt: 1, data: json({ result }) },
      ]
    }
    case 'timer':
      return [
        { at, type: 'timer_scheduled', command, data: json({ wakeAt: new Date(at + 1).toISOString() }) },
        { at: at + 1, type: 'timer_fired', command },
      ]
    case 'wait': {
      const id = newEventId()
      return [
        { at, type: 'wait_scheduled', command, name: 'item', data: '{}' },
        { at: at + 1, type: 'event_received', name: 'item', data: json({ id, payload: { sku: `S-${command}` } }) },
        { at: at + 1, type: 'event_delivered', command, name: 'item', source: position + 1, data: json({ id }) },
      ]
    }
  }
}

const LEVELS = ['info', 'debug', 'warn', 'info', 'error'] as const

const logged = (command: number, line: number, at: number): NewEntry => ({
  at,
  type: 'log',
  data: json({ level: LEVELS[(command + line) % LEVELS.length], message: `step ${command}, line ${line + 1}: ok` }),
})

const inChanges = (entries: readonly NewEntry[], { commands, at, until }: LongHistory): readonly Change[] => {
  const changes: Change[] = []
  for (let first = 0; first < entries.length; first += PER_CHANGE) {
    const part = entries.slice(first, first + PER_CHANGE)
    const events = part.flatMap((entry, index) => (entry.type === 'event_received' ? [first + index + 2] : []))
    const last = first + PER_CHANGE >= entries.length
    changes.push({
      entries: part,
      consumed: last ? 'all' : events,
      ...(first === 0 ? { startedAt: at + 1 } : {}),
      ...(last ? { status: 'completed', finishedAt: until, turns: commands + 1, lastCommand: commands } : {}),
    })
  }
  return changes
}

const json = (value: unknown): string => JSON.stringify(value)
