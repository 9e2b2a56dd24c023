// Ids that a workspace is shown for places in the stream of changes. All workspaces share transaction numbers, which show how busy they
// are, so an id is the place encrypted: one block, always the same for a change, and somewhere at random for another workspace.

import { createCipheriv, createDecipheriv, createHash, randomInt } from 'node:crypto'
import type { ChangeMark, MarkIds } from './store.ts'

/** Nothing was committed as early. */
export const NOWHERE: ChangeMark = { xid: 0n, seq: -1n }

const BLOCK_BYTES = 16
const ID = /^[A-Za-z0-9_-]{22}$/

export const createMarkIds = (secret: string, workspaceId: string): MarkIds => {
  const key = createHash('sha256').update(`${secret} changes of ${workspaceId}`).digest().subarray(0, BLOCK_BYTES)
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
    markOf: (id) => {
      if (!ID.test(id)) return NOWHERE
      const block = decipher.update(Buffer.from(id, 'base64url'))
      const seq = block.readBigInt64BE(BLOCK_BYTES / 2)
      return { xid: block.readBigUInt64BE(), seq: seq < 0n ? -1n : seq }
    },
  }
}

const MOST_RANDOM = 2 ** 48 - 1
