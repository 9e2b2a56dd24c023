// Which services a list of connections no longer has. Pure.

import type { SavedConnection } from '#runtime/connections/models.ts'

type Known = Pick<SavedConnection, 'id' | 'address'>

/** The ids that are gone, or now belong to another service. */
export const goneServices = (before: readonly Known[], now: readonly Known[]): readonly string[] =>
  before.filter(({ id, address }) => now.find((one) => one.id === id)?.address !== address).map(({ id }) => id)
