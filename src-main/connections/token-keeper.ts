// Where the tokens of connections are: sealed in the app's file of connections, or in memory for this run. A sealed token is
// opened for each request and not kept: the key is in Electron's memory anyway, so opening takes microseconds.

import type { Logger } from 'pino'
import type { Storing, TokenPlace } from '../../src-runtime/connections/models.ts'
import { TokenLockedError, type TokenKeeper } from '../../src-runtime/connections/token-keeper.ts'
import { within } from '../../src-runtime/shared/within.ts'
import type { SecretBox } from './secret-box.ts'

/** Sealed tokens by the id of their connection. Changes are on disk before the calls return. */
export type SealedTokens = {
  get(id: string): string | undefined
  set(id: string, sealed: string): void
  remove(id: string): void
}

/** How long the user may take to answer a question of the keychain while a request waits. */
const ANSWER_LIMIT_MS = 10_000

export const createTokenKeeper = (parts: {
  readonly box: SecretBox
  readonly sealed: SealedTokens
  readonly log: Logger
  readonly answerLimitMs?: number
}): TokenKeeper => {
  const { box, sealed, log, answerLimitMs = ANSWER_LIMIT_MS } = parts
  const ofThisRun = new Map<string, { readonly token: string }>()
  /** Sealed with a key that is gone. They stay on disk, because the key may come back with the keychain. */
  const unreadable = new Set<string>()
  /** What the user has been told, or will be. */
  let storing: Storing = box.expected()

  const forget = (id: string): void => {
    ofThisRun.delete(id)
    unreadable.delete(id)
    sealed.remove(id)
  }

  const keepForThisRun = (id: string, token: string): TokenPlace => {
    forget(id)
    ofThisRun.set(id, { token })
    return 'run'
  }

  const storeSealed = (id: string, text: string): void => {
    sealed.set(id, text)
    ofThisRun.delete(id)
    unreadable.delete(id)
  }

  const store = async (id: string, token: string): Promise<TokenPlace> => {
    const sealing = box.seal(token)
    let text: string | undefined
    try {
      text = await within(answerLimitMs, sealing)
    } catch (error) {
      log.warn({ err: error, connection: id }, 'a token cannot be encrypted; it is kept for this run only')
      return keepForThisRun(id, token)
    }
    if (text === undefined) {
      log.warn({ connection: id }, 'the keychain does not answer; a token is kept for this run until it does')
      const place = keepForThisRun(id, token)
      void storeLater(id, sealing)
      return place
    }
    const protection = box.protectionOf(text)
    const wasToldSo = storing === protection || protection === 'keychain'
    storing = protection
    // The user agreed to a keychain; now they can be asked.
    if (!wasToldSo) return keepForThisRun(id, token)
    storeSealed(id, text)
    return protection
  }

  /** Of the token that is kept for this run, unless it is replaced or removed meanwhile. */
  const storeLater = async (id: string, sealing: Promise<string>): Promise<void> => {
    const kept = ofThisRun.get(id)
    try {
      const text = await sealing
      if (ofThisRun.get(id) === kept && box.protectionOf(text) === 'keychain') storeSealed(id, text)
    } catch (error) {
      log.warn({ err: error, connection: id }, 'a token cannot be encrypted; it is kept for this run only')
    }
  }

  /** A newer key, or a keychain where there was none before; never the other way round. */
  const sealAgain = async (id: string, token: string, before: string): Promise<void> => {
    try {
      const text = await box.seal(token)
      if (box.protectionOf(text) === 'obfuscated' && box.protectionOf(before) === 'keychain') return
      // It may have been replaced or removed meanwhile.
      if (sealed.get(id) === before) sealed.set(id, text)
    } catch (error) {
      log.warn({ err: error, connection: id }, 'a token was not encrypted again; the old text is kept')
    }
  }

  return {
    storing: () => Promise.resolve(storing),
    keep: async (id, token, how) => (how === 'run' ? keepForThisRun(id, token) : store(id, token)),
    read: async (id) => {
      const text = sealed.get(id)
      if (text === undefined) return ofThisRun.get(id)?.token
      try {
        const opened = await within(answerLimitMs, box.open(text))
        if (opened === undefined) throw new TokenLockedError('the keychain does not answer')
        const { secret, shouldSealAgain } = opened
        unreadable.delete(id)
        if (shouldSealAgain) await within(answerLimitMs, sealAgain(id, secret, text))
        return secret
      } catch (error) {
        if (error instanceof TokenLockedError) throw error
        // Another one may have been stored meanwhile.
        if (sealed.get(id) !== text) return undefined
        if (!unreadable.has(id)) log.warn({ err: error, connection: id }, 'a stored token cannot be decrypted')
        unreadable.add(id)
        return undefined
      }
    },
    place: (id) => {
      if (ofThisRun.has(id)) return Promise.resolve('run')
      const text = sealed.get(id)
      return Promise.resolve(text === undefined || unreadable.has(id) ? 'none' : box.protectionOf(text))
    },
    remove: async (id) => forget(id),
  }
}
