// Encrypts nothing. It imitates the visible behaviour of Electron's, including this: the asynchronous API reports itself
// as available even if it only obfuscates, and the first three bytes show which.

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import type { SafeStorage } from 'electron'
import { emulate } from '../emulate.ts'
import { isRunning } from '../running.ts'

type Backend = ReturnType<SafeStorage['getSelectedStorageBackend']>

const KEY = createHash('sha256').update('stand-in').digest()
const CIPHER = 'aes-256-gcm'

/** STANDIN_SAFE_STORAGE=basic_text: a desktop without a keychain. */
const backend = (): Backend => {
  if (!isRunning()) return 'unknown'
  return (process.env['STANDIN_SAFE_STORAGE'] as Backend | undefined) ?? 'gnome_libsecret'
}
const hasKeychain = (): boolean => backend() !== 'basic_text' && backend() !== 'unknown'

const seal = (text: string): Buffer => {
  if (!isRunning()) throw new Error('safeStorage cannot be used before app is ready')
  const iv = randomBytes(12)
  const cipher = createCipheriv(CIPHER, KEY, iv)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.from(hasKeychain() ? 'v11' : 'v10'), iv, sealed, cipher.getAuthTag()])
}

const open = (sealed: Buffer): string => {
  try {
    const decipher = createDecipheriv(CIPHER, KEY, sealed.subarray(3, 15))
    decipher.setAuthTag(sealed.subarray(-16))
    return decipher.update(sealed.subarray(15, -16), undefined, 'utf8') + decipher.final('utf8')
  } catch (error) {
    throw new Error('Error while decrypting the ciphertext provided to safeStorage.decryptString.', { cause: error })
  }
}

export const safeStorage = emulate<SafeStorage>()('safeStorage', {
  isEncryptionAvailable: hasKeychain,
  isAsyncEncryptionAvailable: async () => isRunning(),
  getSelectedStorageBackend: backend,
  encryptString: seal,
  decryptString: open,
  encryptStringAsync: async (text) => seal(text),
  decryptStringAsync: async (sealed) => ({ result: open(sealed), shouldReEncrypt: false }),
})
