// How an access token looks: `wes_`, 32 random bytes in base62, and 6 characters that check the others. So a scanner for
// leaked secrets finds one, and a made-up one is refused without a look at the database.

import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { base62 } from '../shared/base62.ts'

const PREFIX = 'wes_'
const SECRET_BYTES = 32
/** 32 bytes need 43 digits, a CRC32 needs 6. */
const SECRET_LENGTH = 43
const CHECK_LENGTH = 6

export const newTokenText = (secret: Buffer = randomBytes(SECRET_BYTES)): string => {
  const body = PREFIX + base62(BigInt(`0x${secret.toString('hex')}`), SECRET_LENGTH)
  return body + checkOf(body)
}

/** Whether the text was made by `newTokenText`, as far as the text alone can tell. */
export const isTokenText = (text: string): boolean =>
  SHAPE.test(text) && checkOf(text.slice(0, -CHECK_LENGTH)) === text.slice(-CHECK_LENGTH)

const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_LENGTH + CHECK_LENGTH}}$`)

const checkOf = (body: string): string => base62(BigInt(crc32(body)), CHECK_LENGTH)

/** The only form in which a token, or the key of a session, is stored. */
export const secretDigest = (secret: string): Buffer => createHash('sha256').update(secret).digest()
