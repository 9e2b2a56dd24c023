import type { SealedRow, SecretStore } from '../store/tenancy.ts'
import { secretContext, tokenContext, valueContext } from './secret-contexts.ts'
import { keyIdOf, SecretKeyError, type SecretKeys } from './secret-keys.ts'

const AT_ONCE = 100
const MOST_NAMED = 20

/**
 * Seals with the first key all that another one sealed, each once. Settles with how many there were. May run beside the service. Rejects
 * with a SecretKeyError if some do not open, or were sealed with another key again meanwhile; all others are sealed by then.
 */
export const rotateSecrets = async (store: SecretStore, secrets: SecretKeys): Promise<number> => {
  const sealed = new Set<string>()
  /** By their contexts. */
  const left = new Map<string, SealedRow>()
  for (;;) {
    const rows = await store.sealedByOthers(secrets.currentId, AT_ONCE + left.size)
    const next = rows.filter((row) => !left.has(contextOf(row)))
    if (next.length === 0) break
    for (const row of next) {
      const context = contextOf(row)
      const text = sealed.has(context) ? undefined : textOf(secrets, row)
      if (text === undefined) {
        left.set(context, row)
      } else {
        await store.replaceSealed(row, secrets.seal(text, context))
        sealed.add(context)
      }
    }
  }
  if (left.size > 0) throw new SecretKeyError(leftText(sealed.size, left))
  return sealed.size
}

/** Undefined where it does not open. */
export const textOf = (secrets: SecretKeys, row: SealedRow): string | undefined => {
  try {
    return secrets.open(row.sealed, contextOf(row))
  } catch (error) {
    if (!(error instanceof SecretKeyError)) throw error
    return undefined
  }
}

const leftText = (sealed: number, left: ReadonlyMap<string, SealedRow>): string => {
  const named = [...left].slice(0, MOST_NAMED).map(([context, row]) => {
    return `${context} in ${row.workspaceId} (sealed with key ${keyIdOf(row.sealed)})`
  })
  const more = left.size > MOST_NAMED ? `, and ${left.size - MOST_NAMED} more` : ''
  return (
    `Sealed ${counted(sealed)} anew, but not ${counted(left.size)} that WES_SECRET_KEY does not open, ` +
    `or that another process has sealed with another key meanwhile: ${named.join(', ')}${more}.`
  )
}

const counted = (count: number): string => `${count} ${count === 1 ? 'secret' : 'secrets'}`

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
