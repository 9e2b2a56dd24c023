import type { SealedRow, SecretStore } from '../store/tenancy.ts'
import { secretContext, tokenContext, valueContext } from './secret-contexts.ts'
import type { SecretKeys } from './secret-keys.ts'

const AT_ONCE = 100

/** Seals with the first key all that another one sealed. Settles with how many there were. May run beside the service. */
export const rotateSecrets = async (store: SecretStore, secrets: SecretKeys): Promise<number> => {
  let count = 0
  for (;;) {
    const rows = await store.sealedByOthers(secrets.currentId, AT_ONCE)
    if (rows.length === 0) return count
    for (const row of rows) {
      const context = contextOf(row)
      await store.replaceSealed(row, secrets.seal(secrets.open(row.sealed, context), context))
      count += 1
    }
  }
}

/** What the text of a row was sealed for. */
export const contextOf = (row: SealedRow): string => {
  switch (row.kind) {
    case 'variable':
      return valueContext(row.projectId, row.name)
    case 'trigger':
      return secretContext(row.id)
    case 'token':
      return tokenContext(row.id)
  }
}
