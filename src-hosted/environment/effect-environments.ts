// What the effects of a project find in `process.env`, as it is stored now.

import type { EnvironmentStore } from '../store/tenancy.ts'
import { valueContext } from './secret-contexts.ts'
import type { SecretKeys } from './secret-keys.ts'

export type EffectEnvironment = Readonly<Record<string, string>>

export const readEffectEnvironment = async (
  store: Pick<EnvironmentStore, 'values'>,
  secrets: SecretKeys,
  projectId: string,
): Promise<EffectEnvironment> => {
  const values = await store.values(projectId)
  return Object.fromEntries(
    values.map(({ name, sealed }) => [name, secrets.open(sealed, valueContext(projectId, name))]),
  )
}
