// Streams `/v1/changes` with `fetch`, which every platform has; EventSource cannot send headers. Reads server-sent
// events, and reconnects as EventSource would.

import type { ExecutionChange, ProgramChange } from './inspection-types.ts'
import { isOfNextJs } from './network-failure.ts'
import { ServiceRuntimeError } from './service-runtime-error.ts'
import { type Exchange, hasText, refusalOf, tryParse } from './transport.ts'
import { LONGEST_ASKED_FOR_MS, sleep } from './pauses.ts'
import { isPassing, silence } from './wait-for-result.ts'
import { hasReader, type ReadResponse, type WebAbortSignal, web } from './web-platform.ts'

export type ChangesOptions = {
  /** Resumes after the message with this `id`. */
  readonly lastEventId?: string | undefined
  readonly signal?: WebAbortSignal | undefined
  /** Called whenever the stream is connected, at first and after each loss. What it throws ends the iteration. */
  readonly onOpen?: (() => void) | undefined
  /** Called whenever the stream is lost, before it reconnects. What it throws ends the iteration. */
  readonly onLost?: ((error: unknown) => void) | undefined
}

export type ChangeMessage =
  | { readonly kind: 'change'; readonly id: string; readonly change: ExecutionChange }
  /** The Execution was deleted; `status` is its last one. */
  | { readonly kind: 'deleted'; readonly id: string; readonly change: ExecutionChange }
  /** A version of a Program was stored or removed, or the Program can be started now, or no longer. */
  | { readonly kind: 'program'; readonly id: string; readonly change: ProgramChange }
  /** `getSource()` has a new answer. Local runtimes only. */
  | { readonly kind: 'source'; readonly id: string }
  /** `diskIsFull` of `getRuntime()` has changed. Local runtimes only. */
  | { readonly kind: 'runtime'; readonly id: string }
  /** Changes were missed: read again what you show. */
  | { readonly kind: 'reset'; readonly id: string }

/** The server sends a comment every 15 s; three are missing. */
const SILENCE_MS = 45_000
const FIRST_PAUSE_MS = 1_000
/** Whatever the server asks for. */
const SHORTEST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000
/** Characters; those of the service have a few hundred. */
const LONGEST_EVENT = 65_536
const FITS_HEADER = /^[\x20-\x7e]*$/

export const streamChanges = async function* (
  exchange: Exchange,
  options: ChangesOptions = {},
): AsyncGenerator<ChangeMessage, void, undefined> {
  const { signal, onOpen, onLost } = options
  let lastEventId = options.lastEventId
  if (lastEventId !== undefined && !FITS_HEADER.test(lastEventId)) {
    // Every connection would fail.
    throw new TypeError(`lastEventId must be the id of a message, not ${JSON.stringify(lastEventId)}`)
  }
  let firstPause = FIRST_PAUSE_MS
  let pause = firstPause
  let askedFor = 0
  /** It was open before, and nothing that came says where to resume. */
  let hasMissed = false
  while (!signal?.aborted) {
    const connection = openConnection(signal)
    let isCallingBack = false
    let isOpen = false
    let lost: unknown
    try {
      const response = await connection.limited(open(exchange, lastEventId, connection.signal))
      isCallingBack = true
      onOpen?.()
      isCallingBack = false
      isOpen = true
      pause = firstPause
      askedFor = 0
      for await (const event of readEvents(response, connection.limited)) {
        if (event.retryMs !== undefined) firstPause = pause = Math.max(event.retryMs, SHORTEST_PAUSE_MS)
        if (event.id !== undefined) lastEventId = event.id
        if (hasMissed && lastEventId !== undefined) {
          hasMissed = false
          yield { kind: 'reset', id: lastEventId }
        }
        const message = messageOf(event, lastEventId ?? '')
        if (message !== undefined) yield message
      }
    } catch (error) {
      if (isCallingBack) throw error
      if (signal?.aborted) return
      if (!isLoss(error)) throw error
      askedFor = error instanceof ServiceRuntimeError ? (error.retryAfterMs ?? 0) : 0
      lost = error
    } finally {
      connection.close()
    }
    hasMissed ||= isOpen && lastEventId === undefined
    onLost?.(lost)
    await sleep(Math.max(pause * (0.75 + Math.random() / 2), Math.min(askedFor, LONGEST_ASKED_FOR_MS)), signal)
    pause = Math.min(pause * 1.5, Math.max(LONGEST_PAUSE_MS, firstPause))
  }
}

/** A refusal ends the stream; a broken connection does not. */
const isLoss = (error: unknown): boolean =>
  error instanceof ServiceRuntimeError ? isPassing(error) : !isOfNextJs(error)

type Limited = <Answer>(waiting: Promise<Answer>) => Promise<Answer>

/**
 * Ends with the caller's signal, or when something that is waited for does not arrive for too long, whatever `fetch` does
 * about its signal.
 */
const openConnection = (outer: WebAbortSignal | undefined) => {
  const controller = new web.AbortController()
  let stopWaiting = (_reason: ServiceRuntimeError): void => {}
  const end = (): void => {
    controller.abort()
    stopWaiting(silence())
  }
  outer?.addEventListener('abort', end)
  const limited: Limited = async (waiting) => {
    const timer = web.setTimeout(end, SILENCE_MS)
    try {
      // Not Promise.race with one promise for the whole connection, which would keep all that was ever received.
      return await new Promise((resolve, reject) => {
        stopWaiting = reject
        waiting.then(resolve, reject)
        if (controller.signal.aborted) reject(silence()) // while the caller was at work with a message
      })
    } finally {
      web.clearTimeout(timer)
    }
  }
  return {
    signal: controller.signal,
    limited,
    close: () => {
      outer?.removeEventListener('abort', end)
      controller.abort()
    },
  }
}

const open = async (exchange: Exchange, lastEventId: string | undefined, signal: WebAbortSignal) => {
  const { response, url } = await exchange({
    method: 'GET',
    path: '/v1/changes',
    headers: {
      Accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId }),
    },
    signal,
  })
  if (response.status !== 200) throw await refusalOf(response, 'GET', url)
  if (!response.headers?.get('content-type')?.startsWith('text/event-stream')) {
    throw invalidResponse(`GET ${url} did not return a stream; check that the address is the service's.`)
  }
  return response
}

const invalidResponse = (message: string): ServiceRuntimeError =>
  new ServiceRuntimeError({ status: 200, code: 'invalid_response', message })

type ServerSentEvent = {
  readonly id?: string
  readonly event?: string
  readonly data?: string
  readonly retryMs?: number
}

const LINE_END = /\r\n|\n|\r/
/** A `\r` at the end of a chunk counts, too: a `\n` that follows it is then an empty line more. */
const BLANK_LINE = /(?:\r\n|\n|\r(?!\n)){2}/

async function* readEvents(response: ReadResponse, limited: Limited): AsyncGenerator<ServerSentEvent> {
  const { body } = response
  if (!hasReader(body)) throw invalidResponse('This fetch returns responses without a body stream')
  const reader = body.getReader()
  const decoder = new web.TextDecoder()
  let text = ''
  try {
    for (;;) {
      const { done, value } = await limited(reader.read())
      if (done) return
      const blocks = (text + decoder.decode(value, { stream: true })).split(BLANK_LINE)
      text = blocks.pop() ?? ''
      for (const block of blocks) yield parseEvent(block)
      if (text.length > LONGEST_EVENT) throw invalidMessage()
    }
  } finally {
    reader.cancel().catch(() => {}) // the stream is broken, or its reader has stopped
  }
}

const parseEvent = (block: string): ServerSentEvent => {
  const event: { id?: string; event?: string; data?: string; retryMs?: number } = {}
  for (const line of block.split(LINE_END)) {
    const [, field, value = ''] = /^(\w+)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'id' && FITS_HEADER.test(value)) event.id = value
    else if (field === 'event') event.event = value
    else if (field === 'data') event.data = event.data === undefined ? value : `${event.data}\n${value}`
    else if (field === 'retry' && /^\d{1,7}$/.test(value)) event.retryMs = Number(value)
  }
  return event
}

/** Ignores other events, which belong to a later version of the API. */
const messageOf = ({ event, data }: ServerSentEvent, id: string): ChangeMessage | undefined => {
  if (event === 'reset' || event === 'source' || event === 'runtime') return { kind: event, id }
  if (data === undefined) return undefined
  if (event === 'program') return { kind: 'program', id, change: parseChange<ProgramChange>(data, 'programId') }
  if (!(event === undefined || event === 'message' || event === 'deleted')) return undefined
  const change = parseChange<ExecutionChange>(data, 'executionId')
  return { kind: event === 'deleted' ? 'deleted' : 'change', id, change }
}

/** `member`: of each change of its kind. */
const parseChange = <Change>(data: string, member: keyof Change & string): Change => {
  const change = tryParse(JSON.parse, data)
  if (!hasText(member)(change)) throw invalidMessage()
  return change as Change
}

const invalidMessage = (): ServiceRuntimeError =>
  invalidResponse("The stream of changes contains an invalid message; check that the address is the service's.")
