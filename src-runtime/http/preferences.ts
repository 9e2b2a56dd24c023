import { HOLD_LIMIT_SECONDS } from '../contract/limits.ts'

const LONGEST_HEADER = 1_000
/** The parts between commas, except commas within quotes. */
const PREFERENCES = /(?:[^,"]|"(?:[^"\\]|\\.)*")+/g
const WAIT = /^\s*wait\s*(?:=\s*(?:"([^"]*)"|([^\s;"]*))\s*)?(?:;.*)?$/i

/**
 * How many seconds a `Prefer` header (RFC 7240) asks the server to hold its answer: the first `wait` counts, more than
 * the limit is the limit; undefined when there is none, or none that can be read.
 */
export const preferredWait = (prefer: string | undefined): number | undefined => {
  if (prefer === undefined || prefer.length > LONGEST_HEADER) return undefined
  for (const [preference] of prefer.matchAll(PREFERENCES)) {
    const wait = WAIT.exec(preference)
    if (wait === null) continue
    const value = wait[1] ?? wait[2] ?? ''
    return /^\d+$/.test(value) ? Math.min(Number(value), HOLD_LIMIT_SECONDS) : undefined
  }
  return undefined
}
