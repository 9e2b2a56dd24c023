// Encrypts what is kept for others: values of the environment, and signing secrets of Triggers. Several keys may be known,
// so that a new one takes over while the old ones still open what they sealed.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

export type SecretKeys = {
  /** `context` names what the text belongs to; it opens only there. */
  seal(text: string, context: string): string
  /** Throws a SecretKeyError when the key is not known, or when this was not sealed for that context. */
  open(sealed: string, context: string): string
  /** The id of the key that seals. What it sealed begins with it and a colon. */
  readonly currentId: string
}

/** Its message names ids of keys, never keys or what they sealed. */
export class SecretKeyError extends Error {
  override readonly name = 'SecretKeyError'
}

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** `id:base64` of 32 bytes; several are separated by commas, and the first one encrypts. */
export const readSecretKeys = (text: string): SecretKeys => {
  const keys = new Map<string, Buffer>()
  for (const [index, part] of text.split(',').entries()) {
    // 43 digits of base64 are 32 bytes.
    const [, id, encoded] = /^\s*([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=?)\s*$/.exec(part) ?? []
    if (id === undefined || encoded === undefined) {
      throw new SecretKeyError(
        `Key ${index + 1} of WES_SECRET_KEY is not of the form id:base64, with 32 bytes: \`openssl rand -base64 32\` makes them.`,
      )
    }
    if (keys.has(id)) throw new SecretKeyError(`WES_SECRET_KEY has two keys with the id ${id}.`)
    keys.set(id, Buffer.from(encoded, 'base64'))
  }
  return secretKeys(keys)
}

export const newSecretKeyText = (id: string): string => `${id}:${randomBytes(KEY_BYTES).toString('base64')}`

const secretKeys = (keys: ReadonlyMap<string, Buffer>): SecretKeys => {
  const [[currentId, current]] = [...keys] as [[string, Buffer]]
  return {
    seal: (text, context) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, current, nonce).setAAD(Buffer.from(context))
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${currentId}:${sealed.toString('base64')}`
    },
    open: (sealed, context) => {
      const key = keys.get(keyIdOf(sealed))
      if (key === undefined) {
        throw new SecretKeyError(`A secret is sealed with key ${keyIdOf(sealed)}, which WES_SECRET_KEY does not have.`)
      }
      return open(key, sealed, context)
    },
    currentId,
  }
}

export const keyIdOf = (sealed: string): string => sealed.slice(0, sealed.indexOf(':'))

const open = (key: Buffer, sealed: string, context: string): string => {
  const bytes = Buffer.from(sealed.slice(sealed.indexOf(':') + 1), 'base64')
  try {
    const opener = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(-TAG_BYTES))
    const text = opener.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
    return Buffer.concat([text, opener.final()]).toString('utf8')
  } catch (cause) {
    const message = `A secret does not open with key ${keyIdOf(sealed)}: the key is another one of the same id, or the row was changed.`
    throw new SecretKeyError(message, { cause })
  }
}
