// Ids of places in the stream of changes. All workspaces share transaction numbers, which show how busy they are, so an id is
// the place encrypted: one block, always the same for a change.

import { createCipheriv, createDecipheriv, createHash, randomInt } from 'node:crypto'

type Place = { readonly xid: bigint; readonly seq: bigint }

export type MarkIds = {
  idOf(place: Place): string
  /** `undefined`: nothing has such an id. An id that was made with another secret is somewhere at random. */
  placeOf(id: string): Place | undefined
}

const BLOCK_BYTES = 16
const ID = /^[A-Za-z0-9_-]{22}$/

export const createMarkIds = (secret: string): MarkIds => {
  const key = createHash('sha256').update(secret).digest().subarray(0, BLOCK_BYTES)
  const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false)
  const decipher = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false)
  return {
    idOf: ({ xid, seq }) => {
      const block = Buffer.alloc(BLOCK_BYTES)
      block.writeBigUInt64BE(xid)
      // Two ids of the same moment differ: if they were equal, nobody would have written anything in between.
      block.writeBigInt64BE(seq < 0n ? -1n - BigInt(randomInt(MOST_RANDOM)) : seq, BLOCK_BYTES / 2)
      return cipher.update(block).toString('base64url')
    },
    placeOf: (id) => {
      if (!ID.test(id)) return undefined
      const block = decipher.update(Buffer.from(id, 'base64url'))
      const seq = block.readBigInt64BE(BLOCK_BYTES / 2)
      return { xid: block.readBigUInt64BE(), seq: seq < 0n ? -1n : seq }
    },
  }
}

const MOST_RANDOM = 2 ** 48 - 1
