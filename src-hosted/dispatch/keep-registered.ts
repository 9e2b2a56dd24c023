// Keeps Restate informed of where this worker is: at its start, and again when Restate has lost everything.

import type { Logger } from 'pino'
import type { RestateDeployments } from './restate-deployments.ts'

const LOOK_EVERY_MS = 5_000
const FIRST_TRIES_MS = 60_000
const TRY_EVERY_MS = 500

export type Registered = {
  /** Settles once Restate sends work here; rejects when it cannot be reached for a minute. */
  readonly first: Promise<void>
  /** May be called twice. */
  stop(): Promise<void>
}

/**
 * `isAlone`: nobody else works for this Restate, and what another address had begun goes on nowhere. Otherwise workers of
 * other addresses are removed once nothing of theirs is unfinished, unless one of them is newer.
 */
export const keepRegistered = (
  deployments: RestateDeployments,
  url: string,
  isAlone: boolean,
  log: Logger,
): Registered => {
  let id = ''
  let timer: NodeJS.Timeout | undefined
  let wake = (): void => {}
  let isStopped = false

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve
      timer = setTimeout(resolve, ms)
    })

  const register = async (): Promise<void> => {
    const deadline = performance.now() + FIRST_TRIES_MS
    for (;;) {
      try {
        id = await deployments.register(url)
        break
      } catch (error) {
        if (isStopped || performance.now() > deadline) throw error
        await pause(TRY_EVERY_MS)
      }
    }
    if (isAlone) await deployments.abandonOthers(id)
  }

  const look = async (): Promise<void> => {
    while (!isStopped) {
      await pause(LOOK_EVERY_MS)
      if (isStopped) return
      try {
        if (await deployments.isEmpty()) {
          log.warn('Restate knows no worker; this one is registered again')
          id = await deployments.register(url)
        } else if (!isAlone) await deployments.retireOthers(id)
      } catch (error) {
        log.debug({ err: error }, 'Restate cannot be asked for its workers now')
      }
    }
  }

  const first = register()
  const looking = first.then(look, () => {})
  return {
    first,
    stop: () => {
      isStopped = true
      clearTimeout(timer)
      wake()
      return looking
    },
  }
}
