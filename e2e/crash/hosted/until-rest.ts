// Whether the processes of a service still run, and whether everything alive has come to rest.

import { setTimeout as sleep } from 'node:timers/promises'
import { lateSchedules, movingExecutions, withDatabase } from './database.ts'
import type { Part } from './processes.ts'
import type { RecoveryLimit } from './recovery-limit.ts'
import type { ChaosService } from './service.ts'

const LOOK_EVERY_MS = 100

export const partsOf = ({ api, ingress, workers, postgres, restates }: ChaosService): readonly Part[] => [
  api,
  ingress,
  postgres,
  ...workers,
  ...restates,
]

export const throwOnCrash = (service: ChaosService): void => {
  const crashed = partsOf(service).find(({ crash }) => crash !== undefined)
  if (crashed !== undefined) throw new Error(crashed.crash)
}

/** Waits without any calls to the service. Answers the time since `from`. */
export const untilRest = async (service: ChaosService, from: number, limit: RecoveryLimit): Promise<number> => {
  for (;;) {
    const moving = await withDatabase(service.ownerUrl(), async (rows) => [
      ...(await movingExecutions(rows)),
      ...(await lateSchedules(rows)),
    ])
    const ms = performance.now() - from
    if (moving.length === 0) return ms
    if (await limit.isOver(ms)) {
      throw new Error(
        `after ${Math.round(ms)} ms, these do not rest:\n${moving.map((one) => JSON.stringify(one)).join('\n')}`,
      )
    }
    await sleep(LOOK_EVERY_MS)
  }
}
