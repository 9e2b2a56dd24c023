// Counts, for each attempt of an effect that was running when the last process died, one death more.

import type { Logger } from 'pino'
import { countDeath } from '../engine/effect-attempts.ts'
import type { ExecutionStore } from '../store/store.ts'
import type { NotedAttempt } from './under-way.ts'

/** Never rejects: at worst, a death is not counted. */
export const countDeaths = async (
  executions: Pick<ExecutionStore, 'keyOf' | 'change'>,
  died: readonly NotedAttempt[],
  log: Logger,
): Promise<void> => {
  const counted = died.map(async ({ executionId, command, attempt }) => {
    const key = executions.keyOf(executionId)
    if (key === undefined) return
    await executions.change(key, ({ open }) => {
      const effect = countDeath(open(command), attempt)
      return effect && { rescheduled: [effect] }
    })
  })
  for (const result of await Promise.allSettled(counted)) {
    if (result.status === 'rejected') log.warn({ err: result.reason }, 'a crash during an effect was not counted')
  }
}
