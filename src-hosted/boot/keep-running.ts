// Starts a process of our own again when it has ended without being told to.

import type { Logger } from 'pino'
import { pause } from '../../src-runtime/shared/pause.ts'

export type Startable = {
  /** Settles when it has ended, whoever ended it. */
  readonly ended: Promise<void>
  stop(): Promise<void>
}

export type KeptRunning<Running extends Startable> = {
  /** The one that was started first. */
  readonly first: Running
  /** May be called twice. */
  stop(): Promise<void>
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000
/** After this time, it counts as having run well. */
const RAN_WELL_MS = 10_000
const STILL_STARTING_EVERY_MS = 60_000

/** Rejects when the first start fails. */
export const keepRunning = async <Running extends Startable>(
  name: string,
  start: () => Promise<Running>,
  log: Logger,
): Promise<KeptRunning<Running>> => {
  const startNoted = async (): Promise<Running> => {
    const noting = setInterval(
      () => log.warn(`${name} is still starting; its log may say why`),
      STILL_STARTING_EVERY_MS,
    )
    try {
      return await start()
    } finally {
      clearInterval(noting)
    }
  }

  const first = await startNoted()
  let current: Running | undefined = first
  let pauseMs = FIRST_PAUSE_MS
  let isStopping = false
  const stopping = new AbortController()

  const watch = async (): Promise<void> => {
    let startedAt = performance.now()
    while (!isStopping) {
      await current?.ended
      if (isStopping) return
      log.error(`${name} has ended; it is started again`)
      current = undefined
      if (performance.now() - startedAt > RAN_WELL_MS) pauseMs = FIRST_PAUSE_MS
      await pause(pauseMs, stopping.signal)
      if (isStopping) return
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
      startedAt = performance.now()
      try {
        current = await startNoted()
      } catch (error) {
        log.error({ err: error }, `${name} could not be started again`)
      }
    }
  }
  const watching = watch()

  let stopped: Promise<void> | undefined
  const stop = async (): Promise<void> => {
    isStopping = true
    stopping.abort()
    await current?.stop()
    await watching
    await current?.stop() // one that was being started meanwhile
  }
  return { first, stop: () => (stopped ??= stop()) }
}
