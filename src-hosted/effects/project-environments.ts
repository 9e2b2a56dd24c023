// The environment of projects, as their effects get it: read again when it is old, so that a change reaches new attempts.

import { createHash } from 'node:crypto'
import { forgetOldest } from '../../src-runtime/shared/forget-oldest.ts'
import type { EnvironmentOf } from './effect-runner.ts'

export type ProjectEnvironment = {
  readonly variables: Readonly<Record<string, string>>
  /** Changes with the variables. */
  readonly fingerprint: string
}

export type ProjectEnvironments = {
  current(project: { readonly workspaceId: string; readonly projectId: string }): Promise<ProjectEnvironment>
}

const MOST = 10_000

export const createProjectEnvironments = (
  environmentOf: EnvironmentOf,
  freshMs: number,
  now: () => number,
): ProjectEnvironments => {
  /** Least recently read first. */
  const known = new Map<string, { readonly readAt: number; readonly environment: Promise<ProjectEnvironment> }>()
  return {
    current: ({ workspaceId, projectId }) => {
      const key = `${workspaceId}/${projectId}`
      const last = known.get(key)
      if (last !== undefined && now() - last.readAt < freshMs) return last.environment
      const environment = environmentOf({ workspaceId, projectId }).then(fingerprinted)
      known.delete(key)
      known.set(key, { readAt: now(), environment })
      forgetOldest(known, MOST)
      environment.catch(() => known.delete(key))
      return environment
    },
  }
}

const fingerprinted = (variables: Readonly<Record<string, string>>): ProjectEnvironment => {
  const sorted = Object.entries(variables).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return { variables, fingerprint: createHash('sha256').update(JSON.stringify(sorted)).digest('base64') }
}
