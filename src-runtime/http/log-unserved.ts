// Tells in the log which requests could not be served. A full disk refuses many: the first of a reason is told, and then how many
// more there were.

import type { Logger } from 'pino'
import { writeFirst } from '../shared/write-first.ts'

export const logUnserved = (log: Logger, reason: string, requestId: string): void =>
  writeFirst(
    log,
    reason,
    () => log.warn({ reason, requestId }, 'a request could not be served'),
    (requests) => log.warn({ reason, requests }, 'more requests could not be served'),
  )
