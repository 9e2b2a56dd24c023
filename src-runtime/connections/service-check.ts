// Asks `/healthz` which service is at an address, before a token is sent there.

import { generationOf } from '../shared/generation.ts'
import type { AskJson } from './ask-json.ts'
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
export const createServiceCheck = (askJson: AskJson, version: string, now: () => number): ServiceCheck => {
  const looks = new Map<string, { readonly at: number; readonly settled: Promise<void> }>()
  return {
    check: (target) => {
      const { address } = target
      const known = looks.get(address)
      if (known !== undefined && now() - known.at < KNOWN_FOR_MS) return known.settled
      const settled = look(askJson, target, version)
      looks.set(address, { at: now(), settled })
      settled.catch(() => {
        if (looks.get(address)?.settled === settled) looks.delete(address)
      })
      return settled
    },
    forget: ({ address }) => void looks.delete(address),
  }
}

const look = async (askJson: AskJson, target: Target, version: string): Promise<void> => {
  const { answer, json } = await askJson(target, undefined, '/healthz', { limitBytes: ANSWER_LIMIT_BYTES })
  const fault = healthFault(target, answer.status, json, version)
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
    if (typeof theirs === 'string' && generationOf(theirs) > generationOf(version))
      return newerService(target, theirs.slice(0, 40))
    return undefined
  }
  if (status === 429 || status >= 500) {
    return new ConnectionProblem('unreachable', `${target.label} cannot be reached: it answers ${status}. Try again.`)
  }
  return wrongService(target, `${nameOf(service)}, not a Workflow Execution Service`)
}

const nameOf = (service: unknown): string =>
  typeof service === 'string' && /^[\w .-]{1,60}$/.test(service) ? `the service “${service}”` : 'another service'
