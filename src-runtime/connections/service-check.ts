// Asks `/healthz` which service is at an address, before a token is sent there.

import type { Exchange } from './exchange.ts'
import { ConnectionProblem } from './problems.ts'
import { newerService, notJson, type Target, wrongService } from './service-problems.ts'

export type ServiceCheck = {
  /** Throws a ConnectionProblem if it is not a hosted service that this app knows. Asks again only now and then. */
  check(target: Target): Promise<void>
  /** The next check asks again. */
  forget(target: Target): void
}

const KNOWN_FOR_MS = 300_000
const ANSWER_LIMIT_BYTES = 65_536

/** `version`: of this app. */
export const createServiceCheck = (exchange: Exchange, version: string, now: () => number): ServiceCheck => {
  const looks = new Map<string, { readonly at: number; readonly settled: Promise<void> }>()
  return {
    check: (target) => {
      const { address } = target
      const known = looks.get(address)
      if (known !== undefined && now() - known.at < KNOWN_FOR_MS) return known.settled
      const settled = look(exchange, target, version)
      looks.set(address, { at: now(), settled })
      settled.catch(() => {
        if (looks.get(address)?.settled === settled) looks.delete(address)
      })
      return settled
    },
    forget: ({ address }) => void looks.delete(address),
  }
}

const look = async (exchange: Exchange, target: Target, version: string): Promise<void> => {
  const headers = new Headers({ accept: 'application/json' })
  const signal = new AbortController().signal
  const answer = await exchange(target, undefined, { method: 'GET', path: '/healthz', headers, body: null, signal })
  const fault = healthFault(target, answer.status, await readJson(answer, ANSWER_LIMIT_BYTES), version)
  if (fault !== undefined) throw fault
}

/** `health`: undefined if it is not JSON. Pure. */
export const healthFault = (
  target: Target,
  status: number,
  health: unknown,
  version: string,
): ConnectionProblem | undefined => {
  if (health === undefined) return notJson(target, status, null)
  const members = (typeof health === 'object' && health !== null ? health : {}) as Readonly<Record<string, unknown>>
  const { service, mode, version: theirs } = members
  if (service === 'workflow-execution-service') {
    if (mode !== 'hosted') return wrongService(target, 'a local runtime, not a hosted service')
    if (typeof theirs === 'string' && majorOf(theirs) > majorOf(version))
      return newerService(target, theirs.slice(0, 40))
    return undefined
  }
  if (status === 429 || status >= 500) {
    return new ConnectionProblem('unreachable', `${target.label} cannot be reached: it answers ${status}. Try again.`)
  }
  return wrongService(target, `${nameOf(service)}, not a Workflow Execution Service`)
}

const majorOf = (version: string): number => Number(/^(\d{1,9})\./.exec(version)?.[1] ?? 0)

const nameOf = (service: unknown): string =>
  typeof service === 'string' && /^[\w .-]{1,60}$/.test(service) ? `the service “${service}”` : 'another service'

/** Undefined if it is no JSON, or too long. */
export const readJson = async ({ body }: Pick<Response, 'body'>, limitBytes: number): Promise<unknown> => {
  const parts: Uint8Array[] = []
  let bytes = 0
  // Without a body there are no parts.
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.byteLength
    if (bytes > limitBytes) return undefined
    parts.push(part)
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown
  } catch {
    return undefined
  }
}
