import { setTimeout as delay } from 'node:timers/promises'

/** Settles after `ms`, or as soon as `signal` aborts. */
export const pause = async (ms: number, signal?: AbortSignal): Promise<void> => {
  try {
    await delay(ms, undefined, { signal })
  } catch {
    // It was aborted.
  }
}
