// Which failures are the same one again: those with the same code, name, message without its numbers and ids, and first
// line of the author's in the stack.

import { createHash } from 'node:crypto'
import type { ExecutionError } from '../engine/journal.ts'

const LENGTH = 32
/** What is behind this does not tell failures apart. */
const CHARACTERS = 4_096

export const fingerprintOf = ({ code, name, message, stack }: ExecutionError): string =>
  createHash('sha256')
    .update(JSON.stringify([code, name ?? '', withoutNumbers(message.slice(0, CHARACTERS)), ownLine(stack ?? '')]))
    .digest('hex')
    .slice(0, LENGTH)

const WORD = /[\p{L}\p{N}_-]+/gu
const DIGIT = /\p{N}/u

/** Whatever has a digit in it is a number, an id, or counts as one. */
const withoutNumbers = (message: string): string => message.replace(WORD, (word) => (DIGIT.test(word) ? '#' : word))

const FRAME = /^\s*at\s/
const NOT_OWN = /\bwes:|\bnode:|(?:^|[\\/ (])node_modules[\\/]|\(native\)/

const ownLine = (stack: string): string => {
  const frames = stack.split('\n').filter((line) => FRAME.test(line))
  return (frames.find((line) => !NOT_OWN.test(line)) ?? '').trim()
}
