// The same parts, which also tell what they do.

import type { EffectPerformer } from '../../src-runtime/effects/effect-performer.ts'
import { isTerminal } from '../../src-runtime/engine/journal.ts'
import type { Change } from '../../src-runtime/engine/change.ts'
import type { Work } from '../dispatch/dispatcher.ts'
import type { HostedStore } from '../store/store.ts'
import type { FireDue } from '../store/tenancy.ts'
import type { Metrics } from './metrics.ts'

const secondsSince = (begun: number): number => (performance.now() - begun) / 1_000

export const measureStore = (store: HostedStore, metrics: Metrics): HostedStore => {
  const noteChange = ({ turns, status }: Change, turnsBefore: number): void => {
    if (turns !== undefined) metrics.tookTurns(turns - turnsBefore)
    if (status !== undefined && isTerminal(status)) metrics.ended(status)
  }
  return {
    ...store,
    acceptFor: (...of) => {
      const accept = store.acceptFor(...of)
      return {
        ...accept,
        start: async (execution, ahead) => {
          const started = await accept.start(execution, ahead)
          if (started.kind === 'started') {
            metrics.started()
            if (ahead !== undefined) noteChange(ahead.change, 0)
          }
          return started
        },
        requestCancel: async (key) => {
          const requested = await accept.requestCancel(key)
          if (requested.kind === 'accepted' && requested.status === 'cancelled') metrics.ended('cancelled')
          return requested
        },
      }
    },
    engine: {
      ...store.engine,
      commit: async (seen, turns) => {
        const committed = await store.engine.commit(seen, turns)
        if (committed.kind === 'committed') noteChange(turns.change, seen.turns)
        return committed
      },
      overdue: async (query) => {
        const overdue = await store.engine.overdue(query)
        metrics.swept(overdue.ids.length)
        return overdue
      },
    },
  }
}

export const measureEffects = (
  effects: Pick<EffectPerformer, 'perform'>,
  metrics: Metrics,
): Pick<EffectPerformer, 'perform'> => ({
  perform: async (call) => {
    const begun = performance.now()
    const outcome = await effects.perform(call)
    metrics.attempted(outcome.kind, secondsSince(begun))
    return outcome
  },
})

export const measureWork = (work: Work, metrics: Metrics): Work => ({
  visit: (...given) => measure(metrics, 'visit', () => work.visit(...given)),
  perform: (...given) => measure(metrics, 'effect', () => work.perform(...given)),
})

export const measureFire =
  (fire: FireDue, metrics: Metrics): FireDue =>
  (due) =>
    measure(metrics, 'schedule', () => fire(due))

const measure = async <Answer>(
  metrics: Metrics,
  which: Parameters<Metrics['worked']>[0],
  run: () => Promise<Answer>,
): Promise<Answer> => {
  const begun = performance.now()
  let end: 'done' | 'failed' = 'failed'
  try {
    const answer = await run()
    end = 'done'
    return answer
  } finally {
    metrics.worked(which, end, secondsSince(begun))
  }
}
