// The part of the service that Restate asks for work, and that visits Executions whose timers are due.

import { within } from '../../src-runtime/shared/within.ts'
import { startRestateEndpoint, type RestateEndpoint } from '../dispatch/restate-endpoint.ts'
import type { Work } from '../dispatch/dispatcher.ts'
import type { HostedOptions } from '../shared/hosted-options.ts'
import type { ScheduleStore } from '../store/tenancy.ts'
import { fireSchedule, type FireScheduleDeps } from '../triggers/fire-schedule.ts'
import { startVisitingTimers } from '../upkeep/visit-timers.ts'
import { createTurns, TooManyWaitError, WaitedTooLongError } from '../visits/in-turn.ts'
import { askForRest } from '../visits/visits-here.ts'
import type { Base } from './base.ts'
import type { Computing } from './start-computing.ts'
import { watchWork } from './watch-work.ts'
import type { WorkspacePortsOf } from './workspace-ports.ts'

/** How long requests of Restate may take to end, once effects have. */
const STOP_MS = 1_500
/** Schedules; each takes one of 16 connections at a time. A workspace may have thousands that fire each second. */
const FIRED_AT_ONCE = 8
/** Of one workspace. For each, Restate keeps one of 4,000 handlers, which visits need, too. The sweeper asks for further ones. */
const MOST_WAITING = 500
/** Times of a schedule that were missed. A message for each would take longer than the times are apart on a busy machine. */
const MADE_UP_AT_ONCE = 8

export const startWorker = async (
  base: Base,
  options: {
    readonly worker: HostedOptions['worker']
    readonly graceMs: number
    readonly computing: Computing
    readonly portsOf: WorkspacePortsOf
  },
): Promise<RestateEndpoint> => {
  const { store, log, onStop } = base
  const { worker, graceMs, computing, portsOf } = options
  const endpoint = await startRestateEndpoint({
    host: worker.host,
    port: worker.port,
    work: watchWork({ ...computing.work, fire: createFire(store.schedules, portsOf, store.now) }, base),
    identityKeys: worker.identityKeys,
    log,
  })
  const timers = visitTimers(base, computing)
  const drain = async (): Promise<void> => {
    const visited = within(STOP_MS, timers.stop())
    await computing.drain(graceMs)
    await visited
  }
  onStop(() => endpoint.stop(STOP_MS, drain))
  return endpoint
}

/** `now`: PostgreSQL's clock, in ms since the epoch. */
export const createFire = (
  schedules: FireScheduleDeps['schedules'] & Pick<ScheduleStore, 'workspaceOf'>,
  portsOf: FireScheduleDeps['portsOf'],
  now: () => number,
): Work['fire'] => {
  const inTurn = createTurns(FIRED_AT_ONCE, schedules.workspaceOf, { mostWaiting: MOST_WAITING })
  const fireDue = async (triggerId: string, at: number): Promise<number | undefined> => {
    let next = await fireSchedule({ schedules, portsOf }, triggerId, at)
    try {
      for (let fired = 1; fired < MADE_UP_AT_ONCE && next !== undefined && next <= now(); fired += 1) {
        next = await fireSchedule({ schedules, portsOf }, triggerId, next)
      }
    } catch {
      // The message about `at` would find that it has fired, so the next one is about the time that has not.
    }
    return next
  }
  return async (triggerId, at, dropped) => {
    try {
      const next = await inTurn(triggerId, () => fireDue(triggerId, at), dropped)
      return next === undefined ? {} : { next: { at: next, delayMs: Math.max(0, next - now()) } }
    } catch (error) {
      // The sweeper asks for it again once it is among the first that are overdue. If each asked again by itself, their messages
      // would take more time than firing does.
      if (error instanceof TooManyWaitError || error instanceof WaitedTooLongError) return {}
      throw error
    }
  }
}

const visitTimers = ({ store, dispatcher, log }: Base, { visitHere }: Computing) =>
  startVisitingTimers({
    store: store.engine,
    now: store.now,
    visit: async (executionId) => {
      const left = await visitHere(executionId, 'timer')
      // The next timer does not wait until these messages are sent.
      askForRest(dispatcher, executionId, left).catch((error: unknown) => {
        log.warn({ err: error, executionId }, 'a worker could not be told; the sweeper will')
      })
    },
    leave: (executionId, delayMs) => dispatcher.poke(executionId, 'timer', delayMs),
    log,
  })
