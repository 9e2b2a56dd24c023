// Counts, for each attempt of an effect that was running when the last process died, one death more. From the second on, such
// attempts are suspects: one of them may have killed the process.

import type { Logger } from 'pino'
import { countDeath, failureByDeaths, MOST_DEATHS, runsAlone, type OpenEffect } from '../engine/effect-attempts.ts'
import type { ExecutionStore } from '../store/store.ts'
import type { NotedAttempt } from './under-way.ts'

type Counted = { readonly key: number; readonly effect: OpenEffect }

/**
 * Never rejects: at worst, a death is not counted. Returns the Executions of suspects, first the one whose attempt began last,
 * because an effect that kills the process mostly does so soon. If no other suspect was running, its attempt has failed.
 */
export const countDeaths = async (
  executions: Pick<ExecutionStore, 'keyOf' | 'change'>,
  died: readonly NotedAttempt[],
  log: Logger,
): Promise<ReadonlySet<number>> => {
  const count = async ({ executionId, command, attempt }: NotedAttempt): Promise<Counted | undefined> => {
    const key = executions.keyOf(executionId)
    if (key === undefined) return undefined
    let effect: OpenEffect | undefined
    await executions.change(key, ({ open }) => {
      effect = countDeath(open(command), attempt)
      return effect && { rescheduled: [effect] }
    })
    return effect && { key, effect }
  }
  const failed = (reason: unknown): undefined => {
    log.warn({ err: reason }, 'a crash during an effect was not counted')
  }
  const counted = await Promise.all(died.map((noted) => count(noted).catch(failed)))
  const suspects = counted.filter((one) => one !== undefined).filter(({ effect }) => runsAlone(effect))
  const [culprit, ...others] = suspects.filter(({ effect }) => failureByDeaths(effect) !== undefined)
  if (culprit !== undefined && others.length === 0) {
    const { key, effect } = culprit
    const change = { rescheduled: [{ ...effect, deaths: MOST_DEATHS }] }
    await executions.change(key, ({ open }) => open(effect.command) && change).catch(failed)
  }
  return new Set(suspects.map(({ key }) => key).reverse())
}
