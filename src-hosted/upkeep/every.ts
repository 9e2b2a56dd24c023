import type { Logger } from 'pino'

/**
 * Does a piece of work now, again at once while it answers that more is left, and otherwise every `ms`. A failure is logged
 * and the work is done again later. `stop` waits for a piece that is under way, and may be called twice; a long piece asks
 * `isStopped` in between.
 */
export const every = (
  ms: number,
  what: string,
  work: (isStopped: () => boolean) => Promise<boolean>,
  log: Logger,
): { stop(): Promise<void> } => {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  const run = async (): Promise<void> => {
    try {
      while (!isStopped && (await work(() => isStopped)));
    } catch (error) {
      if (!isStopped) log.warn({ err: error }, `${what} failed; it is tried again`)
    }
    if (!isStopped) timer = setTimeout(runAgain, ms)
  }
  const runAgain = (): void => {
    running = run()
  }
  let running = run()

  return {
    stop: () => {
      isStopped = true
      clearTimeout(timer)
      return running
    },
  }
}
