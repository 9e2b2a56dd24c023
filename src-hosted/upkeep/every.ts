import type { Logger } from 'pino'
import { createFaultLevels } from '../../src-runtime/shared/fault-levels.ts'
import { within } from '../../src-runtime/shared/within.ts'

/** What goes on then can still be stored until the store closes. What cannot is done again. */
const STOP_WITHIN_MS = 3_000

/**
 * Does a piece of work now, again at once while it answers that more is left, and otherwise every `ms`. A failure is logged
 * and the work is done again later. While the store cannot do it, each piece logs that once a minute: of all pieces, one alone may have a
 * statement that takes too long. `stop` waits for a piece that is under way, unless PostgreSQL is silent, and may be called twice; a
 * long piece asks `isStopped` in between.
 */
export const every = (
  ms: number,
  what: string,
  work: (isStopped: () => boolean) => Promise<boolean>,
  log: Logger,
): { stop(): Promise<void> } => {
  const levelOf = createFaultLevels()
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  const run = async (): Promise<void> => {
    try {
      while (!isStopped && (await work(() => isStopped)));
    } catch (error) {
      if (!isStopped) log[levelOf(error, 'warn')]({ err: error }, `${what} failed; it is tried again`)
    }
    if (!isStopped) timer = setTimeout(runAgain, ms)
  }
  const runAgain = (): void => {
    running = run()
  }
  let running = run()

  return {
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await within(STOP_WITHIN_MS, running)
    },
  }
}
