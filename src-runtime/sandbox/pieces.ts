// Large messages between the runtime and a host go in pieces. The system takes some 200 KB at once, and more only when the
// other process reads; without pieces, a small message would wait for all of a large one before it.

import { deserialize, serialize } from 'node:v8'

export type Piece = { readonly kind: 'piece'; readonly bytes: Uint8Array; readonly isLast: boolean }

const PIECE_BYTES = 64 * 1024
/** More than any message has. */
const MOST_BYTES = 64 * 1024 * 1024

const NOTHING = Buffer.alloc(0)

/** Sends one message after the other. `send` calls back when the system has taken the piece. */
export const createPieceSender = <Message extends object>(
  send: (piece: Piece, sent: () => void) => void,
): ((message: Message) => void) => {
  const waiting: Message[] = []
  let bytes = NOTHING
  let isSending = false

  const sendNext = (): void => {
    if (bytes.length === 0) {
      const message = waiting.shift()
      isSending = message !== undefined
      if (message === undefined) return
      bytes = serialize(message)
    }
    // A copy, because Electron sends all of the memory that a part belongs to.
    const piece = new Uint8Array(bytes.subarray(0, PIECE_BYTES))
    bytes = bytes.subarray(PIECE_BYTES)
    const isLast = bytes.length === 0
    // An empty part would keep the memory of the whole.
    if (isLast) bytes = NOTHING
    send({ kind: 'piece', bytes: piece, isLast }, sendNext)
  }

  return (message) => {
    waiting.push(message)
    if (isSending) return
    isSending = true
    sendNext()
  }
}

const isPiece = (message: unknown): message is Piece =>
  typeof message === 'object' &&
  message !== null &&
  'kind' in message &&
  message.kind === 'piece' &&
  'bytes' in message &&
  message.bytes instanceof Uint8Array

/** Passes whole messages on, and `undefined` for what is none: the sender may be hostile. */
export const joinPieces = (receive: (message: unknown) => void): ((message: unknown) => void) => {
  let pieces: Uint8Array[] = []
  let size = 0
  const takeWhole = (): unknown => {
    const whole = Buffer.concat(pieces)
    pieces = []
    size = 0
    try {
      return deserialize(whole)
    } catch {
      return undefined
    }
  }
  return (message) => {
    if (!isPiece(message)) return receive(message)
    pieces.push(message.bytes)
    size += message.bytes.length
    if (size > MOST_BYTES) {
      pieces = []
      return receive(undefined)
    }
    if (message.isLast) receive(takeWhole())
  }
}
