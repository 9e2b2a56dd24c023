// What the effects of a project find in `process.env`. A change reaches the attempts that begin 5 s later.

import type { EnvironmentStore } from '../store/tenancy.ts'
import { valueContext } from './secret-contexts.ts'
import type { SecretKeys } from './secret-keys.ts'

export type EffectEnvironment = Readonly<Record<string, string>>

export type EffectEnvironments = {
  of(workspaceId: string, projectId: string): Promise<EffectEnvironment>
}

const KEPT_MS = 4_000
const MOST_KEPT = 1_000

export const createEffectEnvironments = (deps: {
  readonly valuesOf: (workspaceId: string) => Pick<EnvironmentStore, 'values'>
  readonly secrets: SecretKeys
  /** ms, from a clock that never goes back */
  readonly now: () => number
}): EffectEnvironments => {
  const kept = new Map<string, { readonly at: number; readonly environment: Promise<EffectEnvironment> }>()

  const read = async (workspaceId: string, projectId: string): Promise<EffectEnvironment> => {
    const values = await deps.valuesOf(workspaceId).values(projectId)
    return Object.fromEntries(
      values.map(({ name, sealed }) => [name, deps.secrets.open(sealed, valueContext(projectId, name))]),
    )
  }

  return {
    of: (workspaceId, projectId) => {
      const known = kept.get(projectId)
      if (known !== undefined && deps.now() - known.at < KEPT_MS) return known.environment
      if (kept.size >= MOST_KEPT) kept.clear()
      const environment = read(workspaceId, projectId)
      kept.set(projectId, { at: deps.now(), environment })
      environment.catch(() => kept.delete(projectId))
      return environment
    },
  }
}
