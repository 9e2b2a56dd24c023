// Failures have the same fingerprint when code, name, message (without numbers and ids) and the author's first stack
// frame are equal. Where a turn used up its fuel does not count: it may be any line of one loop.

import { createHash } from 'node:crypto'

const LENGTH = 32
/** Characters of a message that count. */
const CHARACTERS = 4_096

type Failure = { readonly code: string; readonly name?: string; readonly message: string; readonly stack?: string }

export const fingerprintOf = ({ code, name, message, stack }: Failure): string => {
  const line = code === 'program_timeout' ? '' : ownFrame(stack ?? '')
  return createHash('sha256')
    .update(JSON.stringify([code, name ?? '', withoutNumbers(message.slice(0, CHARACTERS)), line]))
    .digest('hex')
    .slice(0, LENGTH)
}

const WORD = /[\p{L}\p{N}_-]+/gu
const DIGIT = /\p{N}/u

/** Replaces every word that contains a digit: it is a number or an id. */
const withoutNumbers = (message: string): string => message.replace(WORD, (word) => (DIGIT.test(word) ? '#' : word))

const FRAME = /^\s*at\s/
const NOT_OWN = /\bwes:|\bnode:|(?:^|[\\/ (])node_modules[\\/]|\((?:native|<anonymous>)\)/

/** The first frame of the author's own code; empty if there is none. */
export const ownFrame = (stack: string): string => {
  const frames = stack.split('\n').filter((line) => FRAME.test(line))
  return (frames.find((line) => !NOT_OWN.test(line)) ?? '').trim()
}
