// Integer codes for the words in rows. A code never changes its meaning: append, do not reorder.

import type { OpenCommand } from '../engine/execution-state.ts'
import type { EntryType, Status } from '../engine/journal.ts'

const STATUSES = ['queued', 'running', 'waiting', 'cancelling', 'completed', 'failed', 'cancelled'] as const

const ENTRY_TYPES = [
  'execution_started',
  'effect_scheduled',
  'effect_attempt_failed',
  'effect_completed',
  'effect_failed',
  'timer_scheduled',
  'timer_fired',
  'wait_scheduled',
  'wait_timed_out',
  'event_received',
  'event_delivered',
  'log',
  'cancel_requested',
  'execution_completed',
  'execution_failed',
  'execution_cancelled',
] as const

const OPEN_KINDS = ['event', 'timer', 'effect'] as const

type Codes<Word extends string> = { readonly toCode: (word: Word) => number; readonly toWord: (code: number) => Word }

const codes = <Word extends string>(what: string, words: readonly Word[]): Codes<Word> => {
  const byWord = new Map(words.map((word, code) => [word, code]))
  return {
    toCode: (word) => {
      const code = byWord.get(word)
      if (code === undefined) throw new Error(`there is no ${what} "${word}"`)
      return code
    },
    toWord: (code) => {
      const word = words[code]
      if (word === undefined) throw new Error(`the database holds the unknown ${what} ${code}`)
      return word
    },
  }
}

export const statusCodes: Codes<Status> = codes<Status>('status', STATUSES)
export const entryTypeCodes: Codes<EntryType> = codes<EntryType>('entry type', ENTRY_TYPES)
export const openKindCodes: Codes<OpenCommand['kind']> = codes<OpenCommand['kind']>('kind of command', OPEN_KINDS)

/** Bit masks of statuses, for queries. */
export const ALL_STATUSES: readonly Status[] = STATUSES
