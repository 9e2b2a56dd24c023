import type { FromHost } from '../../../src-runtime/effects/messages.ts'

type Log = Extract<FromHost, { kind: 'log' }>

/**
 * What an attempt logs becomes one message, up to its outcome: the worker limits messages, because each takes it longer than
 * another line in one.
 */
export const joinLogs = (batch: readonly FromHost[]): readonly FromHost[] => {
  const joined: FromHost[] = []
  const open = new Map<number, Log['lines']>()
  for (const message of batch) {
    if (message.kind !== 'log') {
      if ('id' in message && message.id !== undefined) open.delete(message.id)
      joined.push(message)
      continue
    }
    const lines = open.get(message.id)
    if (lines !== undefined) lines.push(...message.lines)
    else {
      const begun = { ...message, lines: [...message.lines] }
      open.set(message.id, begun.lines)
      joined.push(begun)
    }
  }
  return joined
}
