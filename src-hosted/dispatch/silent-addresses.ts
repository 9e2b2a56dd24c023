// Finds the addresses of workers at which nobody has answered for some time.

import type { RestateDeployment } from './restate-deployments.ts'
import { askWorker } from './worker-answers.ts'

/** What is asked three times has 30 s for its first answer. */
const LIMITS = { connectMs: 3_000, answerMs: 10_000, lateMs: 20_000 }
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
  limits = LIMITS,
): ((deployments: readonly RestateDeployment[], signal?: AbortSignal) => Promise<ReadonlySet<string>>) => {
  /** By deployment. */
  let silences: ReadonlyMap<string, Silence> = new Map()
  /** Deployments from which a late answer has come since the last call. */
  const late = new Set<string>()

  const isSilent = async ({ id, uri }: RestateDeployment, signal?: AbortSignal): Promise<boolean> => {
    const askedAt = monotonic()
    const heard = await askWorker(uri, limits, signal, { forMs: limits.lateMs, take: () => void late.add(id) })
    if (heard === 'answer') return false
    const limitMs = limits.connectMs + (heard === 'late' ? limits.answerMs : 0)
    return monotonic() - askedAt < limitMs + STOOD_STILL_MS
  }

  return async (deployments, signal) => {
    const silent = await Promise.all(deployments.map((one) => isSilent(one, signal)))
    const now = monotonic()
    silences = new Map(
      deployments.flatMap(({ id }, index) => {
        const { since = now, calls = 0 } = silences.get(id) ?? {}
        return silent[index] === true && !late.has(id) ? [[id, { since, calls: calls + 1 }]] : []
      }),
    )
    late.clear()
    const isLong = ({ since, calls }: Silence): boolean => now - since >= forMs && calls >= FEWEST_CALLS
    return new Set([...silences].filter(([, silence]) => isLong(silence)).map(([id]) => id))
  }
}
