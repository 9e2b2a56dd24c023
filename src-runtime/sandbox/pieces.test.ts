import { serialize } from 'node:v8'
import { expect, test } from 'vitest'
import { createPieceSender, joinPieces, type Piece } from './pieces.ts'

/** A line that takes one piece at a time. */
const createLine = () => {
  const sent: { readonly piece: Piece; readonly taken: () => void }[] = []
  const sendLarge = createPieceSender<{ readonly text: string }>((piece, taken) => void sent.push({ piece, taken }))
  return { sent, sendLarge }
}

test('large messages arrive whole and in order, and others between their pieces', () => {
  const { sent, sendLarge } = createLine()
  const received: unknown[] = []
  const join = joinPieces((message) => received.push(message))
  const [first, second] = [{ text: 'é'.repeat(200_000) }, { text: 'small' }]
  sendLarge(first)
  sendLarge(second)
  expect(sent).toHaveLength(1)
  for (let at = 0; at < sent.length; at++) {
    // As Electron does, which sends the whole memory of a part.
    const piece = structuredClone(sent[at]!.piece)
    expect(piece.bytes.buffer.byteLength).toBeLessThanOrEqual(64 * 1024)
    join(piece)
    if (at < 2) join({ kind: 'results', at })
    sent[at]!.taken()
  }
  expect(received).toEqual([{ kind: 'results', at: 0 }, { kind: 'results', at: 1 }, first, second])
  sendLarge(second)
  join(sent.at(-1)!.piece)
  expect(received.at(-1)).toEqual(second)
})

test('pieces that make no message, or too large a one, are no message', () => {
  const received: unknown[] = []
  const join = joinPieces((message) => received.push(message))
  join({ kind: 'piece', bytes: Buffer.from('no message'), isLast: true })
  join({ kind: 'piece', bytes: 'text', isLast: true })
  join({ kind: 'piece', bytes: serialize('whole'), isLast: true })
  expect(received).toEqual([undefined, { kind: 'piece', bytes: 'text', isLast: true }, 'whole'])
  const megabytes = { kind: 'piece', bytes: Buffer.alloc(16 * 1024 * 1024), isLast: false }
  for (let n = 0; n < 5; n++) join(megabytes)
  expect(received.slice(3)).toEqual([undefined])
})
