// Encrypts secrets with a key of the operating system, through Electron, and tells what that is worth. On Linux, without
// a keychain, Electron "encrypts" with a key that is built into Chromium, and its API still reports itself as available:
// that only obfuscates, so it is called that.

import type { SafeStorage } from 'electron'
import { TokenLockedError } from '../../src-runtime/connections/token-keeper.ts'

export type SecretStorage = Pick<SafeStorage, 'encryptStringAsync' | 'decryptStringAsync' | 'getSelectedStorageBackend'>

/** `obfuscated`: whoever reads the file can read the secret. */
export type Protection = 'keychain' | 'obfuscated'

export type SecretBox = {
  /** What sealing a secret is expected to be worth. Does not touch the keychain, which may ask the user to unlock it. */
  expected(): Protection
  /** Base64. Rejects if nothing can be sealed. */
  seal(secret: string): Promise<string>
  /** `shouldSealAgain`: with a newer or better key. Rejects with a TokenLockedError, or because the key is another one now. */
  open(sealed: string): Promise<{ readonly secret: string; readonly shouldSealAgain: boolean }>
  protectionOf(sealed: string): Protection
}

/** Linux has several keychains; other answers mean that Electron found none. */
const KEYCHAINS: ReadonlySet<string> = new Set(['gnome_libsecret', 'kwallet', 'kwallet5', 'kwallet6'])
/** How a text begins that Linux sealed with the key that is built in. macOS and Windows begin with the same. */
const BUILT_IN_KEY = 'v10'
/** Electron gives the reason only in the message. */
const TEMPORARY = /temporarily unavailable/i

export const createSecretBox = (storage: SecretStorage, platform: NodeJS.Platform): SecretBox => {
  const isLinux = platform === 'linux'
  const hasKeychain = (): boolean => !isLinux || KEYCHAINS.has(storage.getSelectedStorageBackend())
  return {
    expected: () => (hasKeychain() ? 'keychain' : 'obfuscated'),
    seal: async (secret) => (await storage.encryptStringAsync(secret)).toString('base64'),
    open: async (sealed) => {
      try {
        const { result, shouldReEncrypt } = await storage.decryptStringAsync(Buffer.from(sealed, 'base64'))
        return { secret: result, shouldSealAgain: shouldReEncrypt }
      } catch (error) {
        if (error instanceof Error && TEMPORARY.test(error.message)) throw new TokenLockedError(error.message)
        throw error
      }
    },
    protectionOf: (sealed) => {
      const prefix = Buffer.from(sealed.slice(0, 4), 'base64').toString('latin1')
      return isLinux && (prefix === BUILT_IN_KEY || !hasKeychain()) ? 'obfuscated' : 'keychain'
    },
  }
}
