// Failures have the same fingerprint when code, name, message (without numbers and ids), the author's first stack frame and what
// led to them are equal: `fetch failed` alone may be any fault of a network. Where a turn used up its fuel does not count: it may
// be any line of one loop.

import { createHash } from 'node:crypto'
import { beginningOf } from './beginning-of.ts'
import { type Cause, causesOf } from './error-cause.ts'
import { withCauses } from './with-causes.ts'

const LENGTH = 32
/** Characters of a message that count. */
const CHARACTERS = 4_096

type Failure = {
  readonly code: string
  readonly name?: string
  readonly message: string
  readonly stack?: string
  readonly cause?: Cause
}

export const fingerprintOf = ({ code, name, message, stack, cause }: Failure): string => {
  const line = code === 'program_timeout' ? '' : ownFrame(stack ?? '')
  return createHash('sha256')
    .update(
      JSON.stringify([
        code,
        name ?? '',
        withoutNumbers(message.slice(0, CHARACTERS)),
        line,
        ...reasonOf(message, cause),
      ]),
    )
    .digest('hex')
    .slice(0, LENGTH)
}

/** As Node words errors of the system, with its code: `getaddrinfo ENOTFOUND …`, `ENOENT: …`. Names of hosts and files do not count. */
const SYSTEM_ERROR = /^(?:[a-z]\w* )?(E(?!RROR\b)[A-Z0-9_]{2,})\b/

/** What the innermost cause adds to the message. */
const reasonOf = (message: string, cause: Cause | undefined): readonly string[] => {
  const reason = causesOf(cause).at(-1)?.message.slice(0, CHARACTERS) ?? ''
  return message.includes(reason) ? [] : [SYSTEM_ERROR.exec(reason)?.[1] ?? withoutNumbers(reason)]
}

/** What a group of failures shows of one of them. */
export const shownMessage = (error: Failure): string => beginningOf(withCauses(error.message, error), CHARACTERS)

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
