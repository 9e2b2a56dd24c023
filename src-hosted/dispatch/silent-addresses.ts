// At which addresses of workers nobody has answered for some time.

import type { RestateDeployment } from './restate-deployments.ts'
import { workerAnswers } from './worker-answers.ts'

const ANSWER_WITHIN_MS = 3_000
/** An answer that is later than this by so much was not read in time, because this process stood still itself. */
const STOOD_STILL_MS = 1_000

/**
 * Each call asks all of these addresses, and answers the ids of those that were silent in every call of the last `forMs`.
 * Addresses that are not given any more are forgotten.
 */
export const watchSilence = (
  forMs: number,
  monotonic: () => number = () => performance.now(),
): ((deployments: readonly RestateDeployment[]) => Promise<ReadonlySet<string>>) => {
  /** By deployment: when it was first found without an answer. */
  let since: ReadonlyMap<string, number> = new Map()
  let askedBefore = monotonic()

  const isSilent = async (uri: string): Promise<boolean> => {
    const askedAt = monotonic()
    if (await workerAnswers(uri, ANSWER_WITHIN_MS)) return false
    return monotonic() - askedAt < ANSWER_WITHIN_MS + STOOD_STILL_MS
  }

  return async (deployments) => {
    // Nobody knows whether it answered during a long pause of this process.
    const known = monotonic() - askedBefore < forMs ? since : new Map<string, number>()
    const silent = await Promise.all(deployments.map(async ({ uri }) => isSilent(uri)))
    askedBefore = monotonic()
    since = new Map(
      deployments.flatMap(({ id }, index) => (silent[index] === true ? [[id, known.get(id) ?? askedBefore]] : [])),
    )
    return new Set([...since].filter(([, at]) => askedBefore - at >= forMs).map(([id]) => id))
  }
}
