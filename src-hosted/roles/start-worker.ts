// The part of the service that Restate asks for work, that visits Executions whose timers are due, and that fires schedules.

import { pause } from '../../src-runtime/shared/pause.ts'
import { within } from '../../src-runtime/shared/within.ts'
import { startRestateEndpoint, type RestateEndpoint } from '../dispatch/restate-endpoint.ts'
import type { HostedOptions } from '../shared/hosted-options.ts'
import { createFire } from '../triggers/fire-schedule.ts'
import { findNextTimesAgain } from '../triggers/next-times.ts'
import { afterSetBacks } from '../upkeep/after-set-backs.ts'
import { every } from '../upkeep/every.ts'
import { SWEEP_GRACE_MS } from '../upkeep/sweep.ts'
import { startTakingDue, type TakingSizes } from '../upkeep/take-due.ts'
import { endLeases } from '../visits/end-leases.ts'
import { endLongLeases } from '../visits/end-long-leases.ts'
import { endLongPauses } from '../visits/end-long-pauses.ts'
import { askForRest } from '../visits/visits-here.ts'
import type { Base } from './base.ts'
import { leaveWhileCut } from './leave-while-cut.ts'
import type { Computing } from './start-computing.ts'
import { watchFire, watchWork } from './watch-work.ts'
import type { WorkspacePortsOf } from './workspace-ports.ts'

/** How long requests of Restate may take to end, once effects have. */
const STOP_MS = 1_500
const LOOK_EVERY_MS = 1_000
/** Three times as long counts as a gap; see 063-heard-performers.ts. */
const ALIVE_EVERY_MS = 1_000
/** `aheadMs`: no longer than timers that stay in the store are at least. */
const TIMERS: TakingSizes = { most: 256, mostOfOne: 32, aheadMs: 1_000 }
/** Each takes one of 16 connections at a time while it fires. */
const SCHEDULES: TakingSizes = { most: 16, mostOfOne: 8, aheadMs: 500 }

export const startWorker = async (
  base: Base,
  options: {
    readonly worker: HostedOptions['worker']
    readonly graceMs: number
    readonly computing: Computing
    /** No other worker uses this database. */
    readonly isAlone: boolean
    readonly portsOf: WorkspacePortsOf
  },
): Promise<RestateEndpoint> => {
  const { log, onStop } = base
  const { worker, graceMs, computing, isAlone, portsOf } = options
  const endpoint = await startRestateEndpoint({
    host: worker.host,
    port: worker.port,
    work: watchWork(computing.work, base),
    identityKeys: worker.identityKeys,
    log,
  })
  const taking = [takeTimers(base, computing), takeSchedules(base, portsOf), ...lookAfterSetBacks(base, isAlone)]
  const alive = sayAlive(base, computing)
  // Without it, nobody would ask PostgreSQL each second, and no other worker could take over.
  const cut = alive && leaveWhileCut(endpoint, base)
  const drain = async (): Promise<void> => {
    const taken = within(STOP_MS, Promise.all(taking.map(({ stop }) => stop())))
    await computing.drain(graceMs)
    await Promise.all([taken, alive?.stop(), cut?.stop()])
  }
  onStop(() => endpoint.stop(STOP_MS, drain))
  return endpoint
}

const sayAlive = ({ log }: Base, { noteAlive }: Computing) =>
  noteAlive && every(ALIVE_EVERY_MS, 'saying that this worker is there', () => noteAlive().then(() => false), log)

/**
 * What was to come at a time of the clock before it was set back. Timers have times that somebody gave: those stay. At the start, also what
 * another process had begun that has died.
 */
const lookAfterSetBacks = ({ store, dispatcher, log }: Base, isAlone: boolean) => {
  const look = (what: string, work: Parameters<typeof afterSetBacks>[1]) =>
    every(LOOK_EVERY_MS, what, afterSetBacks(store.setBacks, work), log)
  const onFault = (triggerId: string, err: unknown): void =>
    log.warn({ err, triggerId }, 'the next time of a schedule cannot be found')
  return [
    look('finding the next times of schedules again', (isStopped) =>
      findNextTimesAgain(store.schedules, isStopped, onFault),
    ),
    look('ending leases of Executions', async (isStopped, isFirst) => {
      await endLongLeases(store.engine, isStopped)
      if (isAlone && isFirst) await endLeases(store.engine, SWEEP_GRACE_MS, isStopped)
    }),
    look('ending pauses of effects', (isStopped) => endLongPauses(store.engine, dispatcher, isStopped)),
  ]
}

const takeTimers = ({ store, dispatcher, log }: Base, { visitHere }: Computing) =>
  startTakingDue({
    name: 'timers',
    sizes: TIMERS,
    claim: store.engine.dueTimers,
    now: store.now,
    act: async ({ executionId }) => {
      const left = await visitHere(executionId, 'timer')
      // The next timer does not wait until these messages are sent.
      askForRest(dispatcher, executionId, left).catch((error: unknown) => {
        log.warn({ err: error, executionId }, 'a worker could not be told; the sweeper will')
      })
    },
    leave: ({ executionId }, delayMs) => dispatcher.poke(executionId, 'timer', delayMs),
    log,
  })

const takeSchedules = (base: Base, portsOf: WorkspacePortsOf) => {
  const { store, log } = base
  const fire = watchFire(createFire({ schedules: store.schedules, portsOf }, store.now), base)
  return startTakingDue({
    name: 'schedules',
    sizes: SCHEDULES,
    claim: store.schedules.claimDue,
    now: store.now,
    act: fire,
    // Its time comes sooner than anybody else would claim it.
    leave: async (one, delayMs) => {
      await pause(delayMs)
      await fire(one)
    },
    log,
  })
}
