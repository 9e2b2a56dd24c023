// What was thrown, as the journal keeps it: name, message and code as they are, and a stack that names the author's
// files, and the same of whatever caused it. Reading a thrown value may throw again, so everything is read with care.

import { sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { inspect, type InspectOptions } from 'node:util'
import { beginningOf } from '../../shared/beginning-of.ts'
import { causeChain, MOST_CAUSES } from '../../shared/error-cause.ts'
import type { HostFailure } from '../messages.ts'
import { DOMException, stringify } from './built-ins.ts'

export type DescribeError = (thrown: unknown) => HostFailure

const LONGEST_MESSAGE = 16_384
const LONGEST_STACK = 32_768
const LONGEST_NAME = 200
const LONGEST_CAUSE_MESSAGE = 4_096
const LONGEST_CAUSE_STACK = 8_192
/** Between messages of inner errors. */
const SEPARATOR = '; '
const MOST_INNER_ERRORS = 10
/** Of inner errors whose messages are read. */
const MOST_LEVELS = 3
/**
 * The messages that engines and compilers give errors of `Promise.any` and of `using`, which consist of others. Those of the inner
 * errors say more.
 */
const OF_OUTER_ERRORS: ReadonlySet<string> = new Set([
  'All promises were rejected',
  'An error was suppressed during disposal',
  'An error was suppressed during disposal.',
])

const NON_RETRYABLE = Symbol.for('wes.NonRetryableError')

export const createDescribeError = (options: {
  readonly folder: string
  /** Frames of modules in here are the runtime's own. */
  readonly hostFolder: string
}): DescribeError => {
  const tidyStack = createTidyStack(options)

  const stackOf = (error: object, longest: number): string => {
    const stack = read(error, 'stack')
    if (typeof stack === 'string') return shorten([tidyStack(stack)], longest)
    const [message = '', ...others] = messagesOf(error)
    return shorten([`${nameOf(error)}: ${message}`, ...others], longest)
  }

  return (thrown) => ({
    code: codeOf(thrown) ?? 'effect_failed',
    name: nameOf(thrown),
    message: messageOf(thrown),
    ...(isError(thrown) && { stack: stackOf(thrown, LONGEST_STACK) }),
    ...causeChain(
      causesOf(thrown).map((cause) => ({
        ...(isError(cause) && { name: nameOf(cause) }),
        message: messageOf(cause, LONGEST_CAUSE_MESSAGE),
        ...(isError(cause) && { stack: stackOf(cause, LONGEST_CAUSE_STACK) }),
      })),
    ),
  })
}

/** By the brand: the author's copy of the class need not be ours. */
export const isRetryable = (thrown: unknown): boolean =>
  typeof thrown !== 'object' || thrown === null || read(thrown, NON_RETRYABLE) !== true

export const messageOf = (thrown: unknown, longest = LONGEST_MESSAGE): string => shorten(messagesOf(thrown), longest)

/** Its own, or those of its inner errors. `above`: the errors that contain it. One may contain itself. */
const messagesOf = (thrown: unknown, above: readonly unknown[] = []): readonly string[] => {
  if (!isError(thrown)) return [textOf(thrown)]
  const own = textOf(read(thrown, 'message') ?? '')
  // What `fetch` ends with when no address answered has no message of its own.
  const isOwn = own !== '' && !OF_OUTER_ERRORS.has(own)
  if (isOwn || above.length >= MOST_LEVELS || above.includes(thrown)) return [own]
  const inner = innerErrors(thrown).flatMap((error) => messagesOf(error, [...above, thrown]))
  const given = inner.filter((text) => text !== '')
  return given.length > 0 ? given : [own]
}

const nameOf = (thrown: unknown): string => {
  const name = isError(thrown) ? read(thrown, 'name') : undefined
  return typeof name === 'string' && name !== '' ? shorten([name], LONGEST_NAME) : 'Error'
}

const codeOf = (thrown: unknown): string | undefined => {
  if (!isError(thrown) || isInstance(thrown, DOMException)) return undefined
  const code = read(thrown, 'code')
  if (typeof code === 'number') return String(code)
  return typeof code === 'string' && code !== '' ? shorten([code], LONGEST_NAME) : undefined
}

/** The nearest first. Of an error with several inner ones, and no cause, the first counts. */
const causesOf = (thrown: unknown): readonly unknown[] => {
  const seen = new Set<unknown>([thrown])
  for (let next = thrown; isError(next) && seen.size <= MOST_CAUSES;) {
    const cause = read(next, 'cause') ?? innerErrors(next)[0]
    if (cause === undefined || cause === null || seen.has(cause)) break
    seen.add(cause)
    next = cause
  }
  return [...seen].slice(1)
}

/** What threw when `using` disposed of something comes before what had been thrown. */
const innerErrors = (error: object): readonly unknown[] => {
  if (read(error, 'name') === 'SuppressedError') return [read(error, 'error'), read(error, 'suppressed')]
  const errors = read(error, 'errors')
  return unlessThrows<readonly unknown[]>(() => (Array.isArray(errors) ? errors.slice(0, MOST_INNER_ERRORS) : []), [])
}

/** Errors of other realms are no instances. */
export const isError = (thrown: unknown): thrown is object =>
  isInstance(thrown, Error) || unlessThrows(() => Object.prototype.toString.call(thrown), '') === '[object Error]'

export const isInstance = (thrown: unknown, errorClass: typeof Error | typeof DOMException): boolean =>
  unlessThrows(() => thrown instanceof errorClass, false)

export const read = (object: object, key: string | symbol): unknown =>
  unlessThrows(() => (object as Record<string | symbol, unknown>)[key], undefined)

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value
  const json = unlessThrows(() => stringify(value), undefined)
  // JSON of a map, for example, leaves all out.
  if (json !== undefined && json !== '{}') return json
  return unlessThrows(
    () =>
      typeof value === 'object' ? inspect(value, IN_ONE_LINE).replaceAll(INNER_FRAME, '') : String(value as unknown),
    'a value that cannot be shown',
  )
}

const IN_ONE_LINE: InspectOptions = { breakLength: Infinity, compact: true }
/** Of an error in the value. */
const INNER_FRAME = /\n\s+at (?:[^\n(]*\([^\n()]*\)|[^\n]*?:\d+:\d+)/g

/** A getter, or a trap of a Proxy, may throw. */
const unlessThrows = <Value>(look: () => Value, otherwise: Value): Value => {
  try {
    return look()
  } catch {
    return otherwise
  }
}

/** Joined. Well-formed: half of a surrogate pair becomes U+FFFD. */
const shorten = (texts: readonly string[], longest: number): string => {
  const length = texts.reduce((sum, text) => sum + text.length + SEPARATOR.length, -SEPARATOR.length)
  // Of each only what may be kept: together, many long ones could be longer than a string can be.
  const beginnings = texts.map((text) => text.slice(0, longest + 1)).join(SEPARATOR)
  const kept = beginningOf(beginnings, longest).toWellFormed()
  return kept.length === length ? kept : `${kept} … (${length - kept.length} more characters)`
}

/** Leaves out frames of Node, of the compiler's own modules and of the runtime, and names the author's files from the project folder on. */
const createTidyStack = (options: { readonly folder: string; readonly hostFolder: string }) => {
  const roots = rootsOf(options.folder)
  const ours = rootsOf(options.hostFolder)
  return (stack: string): string =>
    stack
      .split('\n')
      .filter((line) => !FRAME.test(line) || !(INTERNAL.test(line) || ours.some((root) => line.includes(root))))
      .map((line) => (FRAME.test(line) ? roots.reduce((text, root) => text.replace(root, ''), line) : line))
      .join('\n')
}

const rootsOf = (folder: string): readonly string[] => [pathToFileURL(folder + sep).href, folder + sep]

const FRAME = /^\s+at /
const INTERNAL = /[( ](?:node|wes):/
