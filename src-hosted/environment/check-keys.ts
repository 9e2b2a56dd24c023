// Says at the start of a process which secrets do not open with its keys. Otherwise nobody would know before effects have failed.

import type { Logger } from 'pino'
import type { SealedRow, SecretStore } from '../store/tenancy.ts'
import { textOf } from './rotate-secrets.ts'
import { keyIdOf, type SecretKeys } from './secret-keys.ts'

/** Of each kind. */
const MOST = 200

export const checkKeys = async (
  store: Pick<SecretStore, 'sealedByOthers'>,
  secrets: SecretKeys,
  log: Logger,
): Promise<void> => {
  const rows = await readSome(store, secrets, log)
  const keys = [
    ...new Set(rows.filter((row) => textOf(secrets, row) === undefined).map(({ sealed }) => keyIdOf(sealed))),
  ]
  if (keys.length === 0) return
  log.error(
    { keys },
    'secrets do not open: WES_SECRET_KEY (alone, the file secret-key) lacks a key that sealed them, or has another one of the same id. ' +
      'Until it has the right one, or they are set again, effects of their projects wait, and signed webhooks get 503',
  )
}

/** None if they cannot be read now: a process that needs none of them starts all the same. */
const readSome = async (
  store: Pick<SecretStore, 'sealedByOthers'>,
  { currentId }: SecretKeys,
  log: Logger,
): Promise<readonly SealedRow[]> => {
  try {
    // Those of other keys first, which may be few among many. No key's id is empty, so the others are some of all.
    const read = ['variable', 'trigger'] as const // the first token is shown again, or not, with a line of its own
    const rows = await Promise.all(
      [currentId, ''].flatMap((keyId) => read.map((kind) => store.sealedByOthers(kind, keyId, MOST))),
    )
    return rows.flat()
  } catch (error) {
    log.warn({ err: error }, 'it is not known whether secrets open with the keys of this process')
    return []
  }
}
