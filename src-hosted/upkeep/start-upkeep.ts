// Starts the regular work. Every API process does it, and each piece is done by one of them.

import type { Logger } from 'pino'
import type { ActPorts } from '../../src-runtime/operations/act-on-one.ts'
import type { HoldingDispatcher } from '../dispatch/hold-while-away.ts'
import type { LimitsOf } from '../limits/limits.ts'
import type { HostedStore } from '../store/store.ts'
import { every } from './every.ts'
import { sweepExecutions } from './sweep.ts'
import { createWorkOnBulks } from './work-on-bulks.ts'

const SECOND = 1_000
/** What was deleted is folded after its last part was removed, and a workspace over its quota is told to come again in a minute. */
const QUARTER = 15 * SECOND
const MINUTE = 4 * QUARTER
const DAY = 24 * 60 * MINUTE

export const startUpkeep = (deps: {
  readonly store: HostedStore
  readonly dispatcher: HoldingDispatcher
  /** What acts on Executions of a workspace. */
  readonly portsOf: (workspaceId: string) => Promise<ActPorts>
  readonly limits: LimitsOf
  readonly log: Logger
}): { stop(): Promise<void> } => {
  const { store, dispatcher, limits, log } = deps
  const endedBefore = (workspaceId: string): number => store.now() - limits(workspaceId).retentionDays * DAY
  const onFault = (error: unknown): void => log.error({ err: error }, 'an item of a bulk failed')
  const regularly = (ms: number, what: string, work: Parameters<typeof every>[2]) => every(ms, what, work, log)
  const parts = [
    regularly(SECOND, 'looking for overdue Executions', () => sweepExecutions(store.engine, dispatcher)),
    ...createWorkOnBulks({ bulkWork: store.bulkWork, portsOf: deps.portsOf, onError: onFault }).map((work) =>
      regularly(SECOND, 'working on bulks', work),
    ),
    regularly(SECOND, 'folding counts', () => store.upkeep.fold()),
    regularly(QUARTER, 'folding usage', () => store.usage.fold()),
    regularly(QUARTER, 'removing what is old', (isStopped) => store.upkeep.removeOld(isStopped)),
    regularly(MINUTE, 'removing Executions that ended long ago', (isStopped) =>
      store.upkeep.removeEnded(endedBefore, isStopped),
    ),
    regularly(MINUTE, 'removing sessions that ended', () => store.access.removeEnded().then(() => false)),
  ]
  return {
    stop: async () => {
      await Promise.all(parts.map((part) => part.stop()))
    },
  }
}
