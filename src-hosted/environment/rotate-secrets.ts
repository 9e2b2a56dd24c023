import type { SealedRow, SecretStore } from '../store/tenancy.ts'
import { secretContext, tokenContext, valueContext } from './secret-contexts.ts'
import { keyIdOf, SecretKeyError, type SecretKeys } from './secret-keys.ts'

const KINDS = ['variable', 'trigger', 'token'] as const
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
  let isMore = true
  // What a process seals with another key meanwhile may come before the rows that are being read.
  while (isMore) {
    isMore = false
    for await (const row of sealedByOthers(store, secrets.currentId)) {
      const context = contextOf(row)
      if (left.has(context)) continue
      isMore = true
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

/** All, a page at a time. */
async function* sealedByOthers(store: SecretStore, keyId: string): AsyncGenerator<SealedRow> {
  for (const kind of KINDS) {
    for (let after: SealedRow | undefined; ;) {
      const rows = await store.sealedByOthers(kind, keyId, AT_ONCE, after)
      yield* rows
      after = rows.at(-1)
      if (after === undefined) break
    }
  }
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
