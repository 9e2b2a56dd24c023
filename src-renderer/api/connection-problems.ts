// What is wrong with a connection to a hosted service, and what the user can do about it. Pure. The messages of the
// problems come from the process that forwards the requests.

import type { Failure } from './failures.ts'

export type WayOut = 'retry' | 'replace-token' | 'edit' | 'local'

export type ConnectionProblem = {
  readonly title: string
  readonly text: string
  /** In the order of the buttons; `retry` is not among them where trying again alone cannot help. */
  readonly ways: readonly WayOut[]
}

type Problem = { readonly title: (name: string) => string; readonly ways: readonly WayOut[] }

const PROBLEMS: Readonly<Record<string, Problem>> = {
  unauthorized: { title: () => 'The token was refused (revoked or expired)', ways: ['replace-token', 'local'] },
  token_missing: { title: (name) => `The token of ${name} is missing`, ways: ['replace-token', 'local'] },
  session_required: { title: () => 'The session of this page has ended', ways: ['retry', 'local'] },
  token_locked: { title: () => 'The keychain is locked', ways: ['retry', 'local'] },
  unreachable: { title: (name) => `${name} cannot be reached`, ways: ['retry', 'edit', 'local'] },
  too_slow: { title: (name) => `${name} does not answer in time`, ways: ['retry', 'edit', 'local'] },
  redirected: { title: (name) => `The address of ${name} redirects elsewhere`, ways: ['retry', 'edit', 'local'] },
  not_the_service: {
    title: (name) => `There is no Workflow Execution Service at the address of ${name}`,
    ways: ['retry', 'edit', 'local'],
  },
  wrong_service: {
    title: (name) => `Another service answers at the address of ${name}`,
    ways: ['retry', 'edit', 'local'],
  },
  newer_service: { title: (name) => `${name} is newer than this app`, ways: ['retry', 'local'] },
  connection_not_found: { title: (name) => `The connection ${name} was removed`, ways: ['local'] },
}

/** undefined for what is not about the connection. `name` is what the user called it. */
export const connectionProblem = (
  { code, message }: Pick<Failure, 'code' | 'message'>,
  name: string,
): ConnectionProblem | undefined => {
  const problem = Object.hasOwn(PROBLEMS, code) ? PROBLEMS[code] : undefined
  if (problem === undefined) return undefined
  const title = problem.title(name)
  return { title, text: withoutTitle(message, title), ways: problem.ways }
}

/** The service itself answered, with an error: it refuses (403, 429), or is broken (500). */
export const isOwnError = ({ kind, status, code }: Failure): boolean =>
  !Object.hasOwn(PROBLEMS, code) && (kind === 'refused' || (kind === 'broken' && status >= 500))

/** Some messages begin with what the title says. */
const withoutTitle = (message: string, title: string): string => {
  if (!message.startsWith(`${title}: `)) return message
  const rest = message.slice(title.length + 2)
  return rest.charAt(0).toUpperCase() + rest.slice(1)
}

export type TestProblem = {
  readonly title: string
  readonly message: string
  /** Whether the connection can be saved all the same: the service may be back later. */
  readonly mayBeSaved: boolean
}

/** Why a test of an address with a token failed, before the connection has a name. `otherwise`: the title for what is not about the connection. */
export const testProblem = (failure: Failure, address: string, otherwise: string): TestProblem => {
  const { code, message } = failure
  const host = hostOf(address)
  // It was typed just now.
  if (code === 'unauthorized') {
    const said = `${host} says that it is wrong, was revoked or has expired. Enter another one.`
    return { title: 'The token was refused', message: said, mayBeSaved: false }
  }
  const problem = connectionProblem(failure, host)
  if (problem !== undefined) return { title: problem.title, message: problem.text, mayBeSaved: MAY_PASS.has(code) }
  // What is wrong with a field, or with what is saved here.
  if (failure.status < 500 && !ERRORS_OF_SERVICE.has(code)) return { title: otherwise, message, mayBeSaved: false }
  const title = failure.status < 500 ? `${host} refuses access` : `${host} answers with an error`
  return { title, message, mayBeSaved: true }
}

const ERRORS_OF_SERVICE: ReadonlySet<string> = new Set(['forbidden', 'rate_limited'])

const MAY_PASS: ReadonlySet<string> = new Set(['unreachable', 'too_slow'])

const hostOf = (address: string): string => URL.parse(address)?.host ?? 'the service'
