// Limits the answers held on one connection. A caller who sends many requests without reading the answers would
// otherwise fill the memory.

import type { Socket } from 'node:net'
import type { FastifyReply } from 'fastify'
import { HELD_ON_CONNECTION_LIMIT } from '../contract/limits.ts'

const held = new WeakMap<Socket, number>()

/**
 * Before an answer is held: calls back when the caller is gone, until the function it returns is called. `undefined`
 * when the connection holds as many answers as it may.
 */
export const holdAnswer = ({ raw }: FastifyReply, onGone: () => void): (() => void) | undefined => {
  const { socket } = raw.req
  const count = held.get(socket) ?? 0
  if (count >= HELD_ON_CONNECTION_LIMIT) return undefined
  held.set(socket, count + 1)
  if (raw.destroyed) onGone()
  raw.once('close', onGone)
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    held.set(socket, (held.get(socket) ?? 1) - 1)
    raw.off('close', onGone)
  }
}
