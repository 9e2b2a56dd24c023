// Cursors of a workspace that nobody else can read or make. Where one begins is a digest of its text, which also is the
// nonce that it is encrypted with, so a cursor is always the same for a place.

import { createCipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { SealedCursors } from '../../src-runtime/ports/operation-ports.ts'

const CIPHER = 'aes-128-ctr'
const BLOCK_BYTES = 16

export const createSealedCursors = (secret: string, workspaceId: string): SealedCursors => {
  const keys = createHash('sha256').update(`${secret} cursors of ${workspaceId}`).digest()
  const [signing, encrypting] = [keys.subarray(0, BLOCK_BYTES), keys.subarray(BLOCK_BYTES)]
  const crypt = (nonce: Buffer, bytes: Buffer): Buffer => createCipheriv(CIPHER, encrypting, nonce).update(bytes)
  const nonceOf = (text: Buffer): Buffer => createHmac('sha256', signing).update(text).digest().subarray(0, BLOCK_BYTES)
  return {
    seal: (cursor) => {
      const text = Buffer.from(cursor)
      const nonce = nonceOf(text)
      return Buffer.concat([nonce, crypt(nonce, text)]).toString('base64url')
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes.length <= BLOCK_BYTES || bytes.toString('base64url') !== sealed) return undefined
      const nonce = bytes.subarray(0, BLOCK_BYTES)
      const text = crypt(nonce, bytes.subarray(BLOCK_BYTES))
      return timingSafeEqual(nonceOf(text), nonce) ? text.toString() : undefined
    },
  }
}
