// Checks new code in a host that runs nothing else, so that no Execution waits for it.

import type { HostEnd, HostLink } from './host-link.ts'
import { describeEnd, retryDelayMs, START_WITHIN_MS, type Lane, type LaneParts } from './lane.ts'
import type { ProgramCheck, ProgramSource } from './program-hosts.ts'

/** How long an idle host is kept: saving or deploying a project often checks several Programs in a row. */
const IDLE_MS = 2_000
const MOST_START_FAILURES = 3
/** A host may also end because of the machine, so one crash does not condemn a Program. */
const MOST_CRASHES = 2

type Pending = {
  readonly source: ProgramSource
  readonly resolve: (check: ProgramCheck) => void
  readonly reject: (error: Error) => void
  /** How many hosts ended unexpectedly while they checked it. */
  crashes: number
}

export type CheckLane = Lane & { check(source: ProgramSource): Promise<ProgramCheck> }

export const createCheckLane = ({ startHost, limits, log }: LaneParts): CheckLane => {
  let queue: Pending[] = []
  let current: Pending | undefined
  let link: HostLink | undefined
  let idleMs = 0
  let failures = 0
  let retryInMs = 0
  let isStopped = false

  const dispatch = (): void => {
    if (isStopped || retryInMs > 0 || current !== undefined || link?.isOver === true) return
    current = queue.shift()
    if (current === undefined) return
    link ??= startHost('alone', { onResult: () => {}, onChecked, onEnd })
    idleMs = 0
    link.check(current.source)
  }

  const settle = (check: ProgramCheck): void => {
    const done = current
    current = undefined
    done?.resolve(check)
    dispatch()
  }

  const onChecked = (_: HostLink, message: string): void => {
    failures = 0
    settle(message === '' ? { ok: true } : { ok: false, message })
  }

  const startAgain = (): void => {
    if (current !== undefined) queue = [current, ...queue]
    current = undefined
    retryInMs = retryDelayMs(failures++)
    if (failures < MOST_START_FAILURES) return
    failures = 0
    for (const pending of queue) pending.reject(new Error('No program host can be started to check the Program'))
    queue = []
  }

  const onEnd = (host: HostLink, end: HostEnd, reason: string): void => {
    if (link === host) link = undefined
    if (isStopped) return
    if (end === 'never_ready') {
      log.error({ reason }, describeEnd[end])
      return startAgain()
    }
    if (current === undefined) return dispatch()
    if (end === 'over_bound') return settle({ ok: false, message: 'The Program took too long to load' })
    if (end === 'memory') return settle({ ok: false, message: 'The Program uses too much memory to load' })
    log.warn({ reason }, describeEnd[end])
    if (++current.crashes >= MOST_CRASHES) {
      return settle({ ok: false, message: 'The Program ended the process that loaded it, twice' })
    }
    queue = [current, ...queue]
    current = undefined
    dispatch()
  }

  return {
    check: (source) =>
      new Promise((resolve, reject) => {
        if (isStopped) return reject(new Error('The program hosts are stopped'))
        queue.push({ source, resolve, reject, crashes: 0 })
        dispatch()
      }),
    watched: () =>
      link === undefined || (current === undefined && link.isReady)
        ? []
        : [
            {
              link,
              stallLimitMs: link.isReady ? limits.checkSilenceCpuMs * link.slowness : START_WITHIN_MS,
              leastShare: link.isReady ? 0 : 0.2,
              rssLimitBytes: limits.aloneRssBytes,
            },
          ],
    get needsTicks() {
      return retryInMs > 0 || link !== undefined
    },
    forget: () => {},
    tick: (elapsedMs) => {
      if (retryInMs > 0) {
        retryInMs -= elapsedMs
        dispatch()
      }
      if (link === undefined || current !== undefined) return
      idleMs += elapsedMs
      if (idleMs > IDLE_MS) link.end('stopped')
    },
    stop: () => {
      isStopped = true
      for (const pending of current === undefined ? queue : [current, ...queue]) {
        pending.reject(new Error('The program hosts are stopped'))
      }
      queue = []
      current = undefined
      link?.end('stopped')
    },
  }
}
