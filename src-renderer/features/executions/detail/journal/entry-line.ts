// A history entry as the page keeps it: small, however large its data is. Omitted data is read again when a user looks
// at it, so that a long history does not fill the page's memory.

import type { HistoryEntry, HistoryEntryType, JsonValue } from '#sdk/index.ts'
import { parseExactJson } from '../../../../exact-json.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export type EntryLine = {
  readonly position: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly type: HistoryEntryType
  readonly command?: number
  readonly name?: string
  readonly attempt?: number
  /** A summary on one line of at most SUMMARY_LENGTH characters. */
  readonly summary: string
  /** Length of `data` as JSON; 0 when there is none. */
  readonly size: number
  /** `data` as JSON; undefined when it is too long to keep. */
  readonly text?: string
  /** The level of a log. */
  readonly level?: LogLevel
  /** When a timer wakes, a wait times out, or the next attempt may begin. */
  readonly dueAt?: number
  /** The id of an event, received or delivered. */
  readonly eventId?: string
  /** A user started it before it was due. */
  readonly early?: true
}

const SUMMARY_LENGTH = 300
const KEPT_LENGTH = 1_000

type Data = { readonly [member: string]: JsonValue }

/** Thousands of entries share a few names, so each name is stored once. */
const createInterning = () => {
  const known = new Map<string, string>()
  return (text: string): string => {
    const kept = known.get(text)
    if (kept !== undefined) return kept
    if (known.size < 1_000) known.set(text, text)
    return text
  }
}
const intern = createInterning()

export const toLine = (entry: HistoryEntry): EntryLine => {
  const text = entry.data === undefined ? '' : JSON.stringify(entry.data)
  const data: Data = isObject(entry.data) ? entry.data : {}
  const dueAt = timeIn(data, 'wakeAt') ?? timeIn(data, 'timeoutAt') ?? timeIn(data, 'nextAttemptAt')
  const eventId = entry.name !== undefined && typeof data['id'] === 'string' ? data['id'] : undefined
  return {
    position: entry.position,
    at: Date.parse(entry.at),
    type: intern(entry.type) as HistoryEntryType,
    ...(entry.command !== undefined && { command: entry.command }),
    ...(entry.name !== undefined && { name: intern(entry.name) }),
    ...(entry.attempt !== undefined && { attempt: entry.attempt }),
    summary: shorten(summaryOf(entry.type, data)),
    size: text.length,
    ...(text.length <= KEPT_LENGTH && { text }),
    ...(entry.type === 'log' && { level: levelOf(data['level']) }),
    ...(dueAt !== undefined && { dueAt }),
    ...(eventId !== undefined && { eventId }),
    ...(data['early'] === true && { early: true }),
  }
}

const isObject = (value: JsonValue | undefined): value is Data =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const timeIn = (data: Data, member: string): number | undefined => {
  const value = data[member]
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

const levelOf = (value: JsonValue | undefined): LogLevel => LOG_LEVELS.find((level) => level === value) ?? 'info'

/** The part of the data that belongs in the list. */
const summaryOf = (type: HistoryEntryType, data: Data): string => {
  switch (type) {
    case 'execution_started':
    case 'effect_scheduled':
      return compact(data['input'])
    case 'effect_completed':
    case 'execution_completed':
      return compact(data['result'])
    case 'event_received':
      return compact(data['payload'])
    case 'effect_attempt_failed':
    case 'effect_failed':
    case 'execution_failed':
      return errorText(data['error'])
    case 'log':
      return messageIn(data) ?? compact(data['message'])
    default:
      return ''
  }
}

const compact = (value: JsonValue | undefined): string => (value === undefined ? '' : JSON.stringify(value))

const errorText = (error: JsonValue | undefined): string => {
  if (!isObject(error)) return compact(error)
  const { name, message } = error
  const said = typeof message === 'string' ? message : compact(message)
  return typeof name === 'string' && name !== 'Error' ? `${name}: ${said}` : said
}

const shorten = (text: string): string => {
  if (text.length <= SUMMARY_LENGTH) return text
  const beginning = text.slice(0, SUMMARY_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')
  // A copy, because a slice would keep the long text in memory.
  return structuredClone(`${beginning}…`)
}

/** Undefined when the entry has no data, or its data was too long to keep. */
export const dataOf = (line: EntryLine): JsonValue | undefined =>
  line.text === undefined || line.text === '' ? undefined : (parseExactJson(line.text) as JsonValue)

/** The message in the data of a log. */
export const messageIn = (data: JsonValue | undefined): string | undefined =>
  isObject(data) && typeof data['message'] === 'string' ? data['message'] : undefined
