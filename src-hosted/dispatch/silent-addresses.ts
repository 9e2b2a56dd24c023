// Finds the addresses of workers at which nobody has answered for some time.

import type { RestateDeployment } from './restate-deployments.ts'
import { askWorker } from './worker-answers.ts'

const LIMITS = { connectMs: 3_000, answerMs: 10_000 }
/** An answer that is later than this by so much was not read in time, because this process stood still itself. */
const STOOD_STILL_MS = 1_000

/** After a long pause of this process, two calls alone would be far enough apart. */
const FEWEST_CALLS = 3

type Silence = { readonly since: number; readonly calls: number }

/**
 * Each call asks all of these addresses, and answers the ids of those that have been silent for `forMs`, in every call.
 * Addresses that are not given any more are forgotten. What it answers once `signal` has aborted means nothing.
 */
export const watchSilence = (
  forMs: number,
  monotonic: () => number = () => performance.now(),
): ((deployments: readonly RestateDeployment[], signal?: AbortSignal) => Promise<ReadonlySet<string>>) => {
  /** By deployment. */
  let silences: ReadonlyMap<string, Silence> = new Map()

  const isSilent = async (uri: string, signal?: AbortSignal): Promise<boolean> => {
    const askedAt = monotonic()
    const heard = await askWorker(uri, LIMITS, signal)
    if (heard === 'answer') return false
    const limitMs = LIMITS.connectMs + (heard === 'late' ? LIMITS.answerMs : 0)
    return monotonic() - askedAt < limitMs + STOOD_STILL_MS
  }

  return async (deployments, signal) => {
    const silent = await Promise.all(deployments.map(async ({ uri }) => isSilent(uri, signal)))
    const now = monotonic()
    silences = new Map(
      deployments.flatMap(({ id }, index) => {
        const { since = now, calls = 0 } = silences.get(id) ?? {}
        return silent[index] === true ? [[id, { since, calls: calls + 1 }]] : []
      }),
    )
    const isLong = ({ since, calls }: Silence): boolean => now - since >= forMs && calls >= FEWEST_CALLS
    return new Set([...silences].filter(([, silence]) => isLong(silence)).map(([id]) => id))
  }
}
