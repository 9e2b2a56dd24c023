// The environment of projects, as their effects get it: read again when it is old, so that a change reaches new attempts.

import { createHash } from 'node:crypto'
import { forgetOldest } from '../../src-runtime/shared/forget-oldest.ts'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import type { EnvironmentOf } from './effect-runner.ts'

export type ProjectEnvironment = {
  readonly variables: Readonly<Record<string, string>>
  /** Changes with the variables. */
  readonly fingerprint: string
}

/** The database answers, but this process may have the wrong keys. */
export class UnreadableEnvironmentError extends StoreUnavailableError {}

export type ProjectEnvironments = {
  /** Rejects with a StoreUnavailableError when it cannot be read now, for whatever reason. */
  current(project: Project): Promise<ProjectEnvironment>
}

type Project = Parameters<EnvironmentOf>[0]
type Reading = { readonly readAt: number; readonly environment: Promise<ProjectEnvironment> }

const MOST = 10_000

export const createProjectEnvironments = (
  environmentOf: EnvironmentOf,
  freshMs: number,
  now: () => number,
): ProjectEnvironments => {
  /** Least recently read first. */
  const known = new Map<string, Reading>()
  const latest = ({ workspaceId, projectId }: Project): Reading => {
    const key = `${workspaceId}/${projectId}`
    const last = known.get(key)
    if (last !== undefined && now() - last.readAt < freshMs) return last
    const environment = environmentOf({ workspaceId, projectId }).then(fingerprinted, notRead)
    const reading = { readAt: now(), environment }
    known.delete(key)
    known.set(key, reading)
    forgetOldest(known, MOST)
    environment.catch(() => {}) // many may ask for it: it is read again when it is old
    return reading
  }
  return {
    current: async (project) => {
      const { readAt, environment } = latest(project)
      const read = await environment
      // The answer has waited where this process stood still. Asked once more only: a slow database must not keep effects waiting.
      return now() - readAt < 2 * freshMs ? read : latest(project).environment
    },
  }
}

const notRead = (cause: unknown): never => {
  if (cause instanceof StoreUnavailableError) throw cause
  throw new UnreadableEnvironmentError(
    `an environment cannot be read (${cause instanceof Error ? cause.message : String(cause)})`,
    { cause },
  )
}

const fingerprinted = (variables: Readonly<Record<string, string>>): ProjectEnvironment => {
  const sorted = Object.entries(variables).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return { variables, fingerprint: createHash('sha256').update(JSON.stringify(sorted)).digest('base64') }
}
