// The session of a client command: the client, the service's last answer, and the terminal.

import {
  createClient,
  type FetchFunction,
  type FetchInit,
  ServiceRuntimeError,
  type ServiceClient,
} from '#sdk/index.ts'
import { hintFor } from './hints.ts'
import { aboutMissingProgram } from './missing-program.ts'
import { CommandFailure, UsageError } from './failures.ts'
import { type Sources, sourcesOn } from './json-argument.ts'
import { withLocalToken } from './local-access.ts'
import { createProxiedFetch } from './proxied-fetch.ts'
import { inWordsOfFlags } from './service-faults.ts'
import type { Terminal } from './terminal.ts'

export type ClientFlags = {
  readonly url?: string
  readonly token?: string
  readonly projectId?: string
  readonly json?: true
  readonly iso?: true
}

/** An answer of the API, unchanged: `--json` prints exactly this. */
export type WireAnswer = { readonly status: number; readonly text: string }

export type Session = {
  readonly client: ServiceClient
  /** The newest answer. */
  readonly lastAnswer: () => WireAnswer
  /** Calls back with the next answer that is no refusal. Until then, the service is not asked to hold its answers. */
  readonly onceAnswered: (listener: (answer: WireAnswer) => void) => void
  readonly terminal: Terminal
  readonly sources: Sources
  readonly json: boolean
  /** Times as ISO 8601 instead of relative to now. */
  readonly iso: boolean
  /**
   * The same session with another project. `timeout`, in milliseconds: of requests whose answers the command can do without,
   * and which are not repeated.
   */
  readonly inProject: (projectId: string | undefined, timeout?: number) => Session
}

/** Of a request whose answer the command can do without. */
export const READ_LIMIT_MS = 5_000

export const outputOf = (flags: ClientFlags, terminal: Terminal): Pick<Session, 'terminal' | 'json' | 'iso'> => ({
  terminal,
  json: flags.json === true,
  iso: flags.iso === true || terminal.columns === undefined,
})

const openSession = (flags: ClientFlags, terminal: Terminal): Session => {
  let last: WireAnswer | undefined
  let listener: ((answer: WireAnswer) => void) | undefined
  const send = createProxiedFetch(process.env)
  const fetch: FetchFunction = async (url, init) => {
    if (init.headers['Accept'] === 'text/event-stream') return send(url, init)
    last = undefined
    const response = await send(url, listener === undefined ? init : withoutPrefer(init))
    const text = await response.text()
    last = { status: response.status, text }
    if (response.status >= 200 && response.status <= 299) {
      listener?.(last)
      listener = undefined
    }
    return { status: response.status, headers: response.headers, text: () => Promise.resolve(text) }
  }
  const { url, token } = flags
  const inProject = (projectId: string | undefined, timeout?: number): Session => ({
    client: clientFor({ url, token, projectId, timeout, maxRetries: timeout === undefined ? undefined : 0, fetch }),
    lastAnswer: () => {
      if (last === undefined) throw new Error('no answer was recorded')
      return last
    },
    onceAnswered: (next) => {
      listener = next
    },
    sources: sourcesOn(terminal),
    ...outputOf(flags, terminal),
    inProject,
  })
  return inProject(flags.projectId)
}

const withoutPrefer = (init: FetchInit): FetchInit => {
  const { Prefer: _, ...headers } = init.headers
  return { ...init, headers }
}

const clientFor = (options: Parameters<typeof createClient>[0]): ServiceClient => {
  try {
    return createClient(options)
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message.replace(/^The projectId /, '--project-id '))
    throw error
  }
}

/** Prints the service's last answer unchanged. */
export const printAnswer = (session: Pick<Session, 'terminal' | 'lastAnswer'>): Promise<void> =>
  session.terminal.out(`${session.lastAnswer().text.trimEnd()}\n`)

/** Runs what reads members of an answer. Throws if it lacks one, because another server sent it. */
export const readAnswer = <Result>(read: () => Result): Result => {
  try {
    return read()
  } catch {
    throw notOurs()
  }
}

export const notOurs = (): ServiceRuntimeError =>
  new ServiceRuntimeError({
    status: 200,
    code: 'invalid_response',
    message: 'The response is not one of the API; check that the address is the service’s.',
  })

/** Runs a command with a session. Turns errors of the service into failures with a hint. */
export const withSession = async <Outcome>(
  flags: ClientFlags,
  terminal: Terminal,
  command: (session: Session) => Promise<Outcome>,
): Promise<Outcome> => {
  const session = openSession(await withLocalToken(flags, process.env), terminal)
  try {
    return await command(session)
  } catch (error) {
    if (error instanceof ServiceRuntimeError) throw await refused(error, session, flags)
    if (
      error instanceof TypeError &&
      /^(This cannot be an id|This is not well-formed|The idempotency key)/.test(error.message)
    ) {
      throw new UsageError(error.message)
    }
    throw error
  }
}

const refused = async (error: ServiceRuntimeError, session: Session, flags: ClientFlags): Promise<CommandFailure> => {
  // Read before another request is made.
  const json = error.status === 0 ? undefined : wireError(session)
  const missing =
    error.code === 'program_not_found'
      ? await aboutMissingProgram(
          error.message,
          (project) => session.inProject(project, READ_LIMIT_MS).client,
          flags.projectId,
        )
      : undefined
  const hint =
    missing ??
    hintFor(error, {
      url: flags.url || process.env['SERVICE_RUNTIME_URL']?.trim() || undefined,
      token: flags.token || process.env['SERVICE_TOKEN']?.trim(),
      hostedUrl: process.env['SERVICE_API_BASE_URL']?.trim(),
    })
  const message = error.code === 'invalid_request' ? inWordsOfFlags(error.message) : error.message
  return new CommandFailure(error.code, message, {
    showsCode: error.status !== 0,
    ...(hint === undefined ? {} : { hint }),
    ...(error.executionId === undefined ? {} : { executionId: error.executionId }),
    ...(json === undefined ? {} : { json }),
  })
}

/** The last answer, if it is the API's error JSON. */
const wireError = (session: Session): string | undefined => {
  try {
    const { text } = session.lastAnswer()
    const parsed = JSON.parse(text) as { error?: { code?: unknown } } | null
    return typeof parsed?.error?.code === 'string' ? `${text.trimEnd()}\n` : undefined
  } catch {
    return undefined
  }
}
