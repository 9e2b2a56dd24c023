// Registers this worker at Restate: at its start, and again when Restate has lost its data or all workers that it knows are
// gone.

import type { Logger } from 'pino'
import type { RestateDeployment, RestateDeployments } from './restate-deployments.ts'
import { workerAnswers } from './worker-answers.ts'

const LOOK_EVERY_MS = 5_000
const FIRST_TRIES_MS = 60_000
const TRY_EVERY_MS = 500
/** How long no worker answers at another address before it is removed: its unfinished work blocks its Executions. */
const ABANDON_AFTER_MS = 10_000
const ANSWER_WITHIN_MS = 3_000
/** How often it looks for what is unfinished at addresses that were removed. */
const LOOKS_PER_ORPHANS = 3

export type Registered = {
  /** Settles once Restate sends work here; rejects when it cannot be reached for a minute. */
  readonly first: Promise<void>
  /** May be called twice. */
  stop(): Promise<void>
}

/**
 * `isAlone`: no other worker uses this Restate, and unfinished work of other addresses cannot be continued. Otherwise
 * workers of other addresses are removed once all their work is finished, or when nobody answers there for
 * `abandonAfterMs`, unless one of them is newer.
 */
export const keepRegistered = (
  deployments: RestateDeployments,
  url: string,
  options: {
    readonly isAlone: boolean
    readonly log: Logger
    /** Called again and again while a newer worker gets all new work. */
    readonly onReplaced?: () => void
    readonly lookEveryMs?: number
    readonly abandonAfterMs?: number
  },
): Registered => {
  const {
    isAlone,
    log,
    onReplaced = () => {},
    lookEveryMs = LOOK_EVERY_MS,
    abandonAfterMs = ABANDON_AFTER_MS,
  } = options
  let id = ''
  let timer: NodeJS.Timeout | undefined
  let wake = (): void => {}
  let isStopped = false
  /** By deployment: when it was first found without an answer. */
  const silentSince = new Map<string, number>()

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

  /** Nobody has answered there for some time. */
  const isGone = async (other: RestateDeployment): Promise<boolean> => {
    if (await workerAnswers(other.uri, ANSWER_WITHIN_MS)) {
      silentSince.delete(other.id)
      return false
    }
    const since = silentSince.get(other.id) ?? performance.now()
    silentSince.set(other.id, since)
    return performance.now() - since >= abandonAfterMs
  }

  /** Whether Restate knows no worker, or only workers that are gone, although this one could work. */
  const isNeeded = async (known: readonly RestateDeployment[]): Promise<boolean> => {
    if (known.some((one) => one.id === id)) return false
    const gone = await Promise.all(known.map(isGone))
    return gone.every((one) => one)
  }

  const retireOthers = async (): Promise<void> => {
    for (const other of await deployments.retireOthers(id)) {
      if (!(await isGone(other))) continue
      log.warn({ url: other.uri }, 'no worker answers at an old address; what is unfinished there is done elsewhere')
      await deployments.abandon(other.id)
    }
  }

  const endOrphans = async (): Promise<void> => {
    const count = await deployments.endOrphans()
    if (count > 0) log.warn({ count }, 'what was unfinished at removed addresses is done elsewhere')
  }

  let looks = 0
  const look = async (): Promise<void> => {
    while (!isStopped) {
      await pause(lookEveryMs)
      if (isStopped) return
      try {
        const known = await deployments.list()
        for (const other of silentSince.keys()) if (known.every((one) => one.id !== other)) silentSince.delete(other)
        if (await isNeeded(known)) {
          log.warn('Restate knows no worker that answers; this one is registered again')
          id = await deployments.register(url)
        } else if (!isAlone) {
          if (await deployments.isLatest(id)) await retireOthers()
          else onReplaced()
        }
        if ((looks += 1) % LOOKS_PER_ORPHANS === 0) await endOrphans()
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
