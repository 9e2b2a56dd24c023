// Seals all secrets of a service under the first of its keys.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readKeyFile, SECRET_KEY_FILE } from '../environment/secret-key-file.ts'
import { readSecretKeys, SecretKeyError } from '../environment/secret-keys.ts'
import { rotateSecrets } from '../environment/rotate-secrets.ts'
import { onOperatedStore, type Place } from './open-operated-store.ts'

export type Rotated = {
  /** How many secrets another key had sealed. */
  readonly sealed: number
  /** Of the key that has sealed all of them now. */
  readonly keyId: string
}

/** `keys`: `id:base64`, comma-separated, the new one first; absent: those in the folder's file. */
export const rotateKeys = async (place: Place, keys: string | undefined): Promise<Rotated> => {
  const secrets = readSecretKeys(keys ?? keysOf(place))
  const sealed = await onOperatedStore(place, (store) => rotateSecrets(store.secrets, secrets))
  return { sealed, keyId: secrets.currentId }
}

const keysOf = (place: Place): string => {
  const file = 'folder' in place ? join(place.folder, SECRET_KEY_FILE) : undefined
  if (file !== undefined && existsSync(file)) return readKeyFile(file)
  throw new SecretKeyError(`WES_SECRET_KEY is not set${file === undefined ? '' : `, and there is no ${file}`}`)
}
