import type { Logger } from 'pino'

export type Stop = () => Promise<void> | void

/** Stops parts one after the other, the one that was started last first. All of them, though one may fail. */
export const stopAll = async (stops: readonly Stop[], log: Logger): Promise<void> => {
  for (const stop of stops.toReversed()) {
    await Promise.resolve()
      .then(stop)
      .catch((error: unknown) => log.warn({ err: error }, 'a part did not stop well'))
  }
}
