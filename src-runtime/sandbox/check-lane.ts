// Checks new code in a host that runs nothing else, so that no Execution waits for it. Tenants take turns.

import { createFairQueue } from '../shared/fair-queue.ts'
import { HostsStoppedError, HostsUnavailableError } from '../shared/hosts-unavailable.ts'
import type { HostEnd, HostLink } from './host-link.ts'
import { describeEnd, isOfSystem, retryDelayMs, watchAlone, type Lane, type LaneParts } from './lane.ts'
import type { ProgramCheck, ProgramHosts, ProgramSource } from './program-hosts.ts'

/** How long an idle host is kept: saving or deploying a project often checks several Programs in a row. */
const IDLE_MS = 2_000
const MOST_START_FAILURES = 3
/** A host may also crash because of the machine, so one crash does not condemn a Program. */
const MOST_CRASHES = 2
/** Nor does any number of these: the check is given up, and nothing is said of the Program. */
const MOST_STOPS = 2

type Pending = {
  readonly source: ProgramSource
  readonly tenant: string
  readonly resolve: (check: ProgramCheck) => void
  readonly reject: (error: Error) => void
  /** How many hosts ended by themselves while they checked it. */
  crashes: number
  /** How many the system killed, or did not let run. */
  stops: number
}

export type CheckLane = Lane & Pick<ProgramHosts, 'check'>

export const createCheckLane = ({ startHost, limits, log }: LaneParts): CheckLane => {
  const queue = createFairQueue<Pending>()
  let current: Pending | undefined
  let link: HostLink | undefined
  let idleMs = 0
  let failures = 0
  let retryInMs = 0
  let isStopped = false

  const dispatch = (): void => {
    if (isStopped || retryInMs > 0 || current !== undefined || link?.isOver === true) return
    current = queue.take()
    if (current === undefined) return
    link ??= startHost('alone', { onResult: () => {}, onChecked, onEnd })
    idleMs = 0
    link.check(current.source)
  }

  const takeCurrent = (): Pending | undefined => {
    const taken = current
    current = undefined
    return taken
  }

  const settle = (check: ProgramCheck): void => {
    takeCurrent()?.resolve(check)
    dispatch()
  }

  const giveUp = (): void => {
    takeCurrent()?.reject(new HostsUnavailableError('the system stopped the process that loaded the Program, twice'))
    dispatch()
  }

  const onChecked = (_: HostLink, message: string): void => {
    failures = 0
    settle(message === '' ? { ok: true } : { ok: false, message })
  }

  const checkAgain = (): void => {
    const again = takeCurrent()
    if (again !== undefined) queue.add(again.tenant, again)
  }

  const startAgain = (): void => {
    checkAgain()
    retryInMs = retryDelayMs(failures++)
    if (failures < MOST_START_FAILURES) return
    failures = 0
    const error = new HostsUnavailableError('no Program host can be started to check the Program')
    for (const { reject } of queue.takeAll()) reject(error)
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
    if (isOfSystem(end)) {
      if (++current.stops >= MOST_STOPS) return giveUp()
    } else if (++current.crashes >= MOST_CRASHES) {
      return settle({ ok: false, message: 'The Program ended the process that loaded it, twice' })
    }
    checkAgain()
    dispatch()
  }

  return {
    check: (source, tenant = '') =>
      new Promise((resolve, reject) => {
        if (isStopped) return reject(new HostsStoppedError('the Program hosts are stopped'))
        queue.add(tenant, { source, tenant, resolve, reject, crashes: 0, stops: 0 })
        dispatch()
      }),
    watched: () =>
      link === undefined || (current === undefined && link.isReady)
        ? []
        : [watchAlone(link, limits.checkSilenceCpuMs * link.slowness, limits)],
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
      checkAgain()
      for (const { reject } of queue.takeAll()) reject(new HostsStoppedError('the Program hosts are stopped'))
      link?.end('stopped')
    },
  }
}
