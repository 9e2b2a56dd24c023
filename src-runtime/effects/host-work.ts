// What one effect host was given: attempts, and the bundles that they need.

import type { Attempt } from './attempt.ts'
import type { AttemptSnapshot, HostSnapshot } from './check-host.ts'
import type { EffectRequest, ToHost } from './messages.ts'

export type HostWork = {
  /** Attempts in the host: running or waiting for a load, wanted or not. */
  readonly occupied: number
  readonly bundles: number
  /** Returns what to send so that the attempt begins. Throws when its bundle or its data cannot be read. */
  add(attempt: Attempt): readonly ToHost[]
  /** Throws when its data cannot be read. */
  begin(attempt: Attempt): EffectRequest
  /** Ends a load and returns the attempts that waited for it; `undefined`: no such load is running. */
  endLoad(bundle: string, state: 'loaded' | 'failed'): readonly Attempt[] | undefined
  /** Removes an attempt that has ended. */
  end(id: number): Attempt | undefined
  attempt(id: number): Attempt | undefined
  /** `undefined`: the attempt does not run. */
  idOf(attempt: Attempt): number | undefined
  attempts(): readonly Attempt[]
  /** The attempts that an Execution still waits for. */
  wanted(): readonly Attempt[]
  snapshot(): Pick<HostSnapshot, 'attempts' | 'loads' | 'waiting'>
}

type Load = { readonly sentAt: number; state: 'loading' | 'loaded' | 'failed'; readonly waiting: Attempt[] }

export const createHostWork = (now: () => number): HostWork => {
  const running = new Map<number, { readonly attempt: Attempt; readonly sentAt: number }>()
  const idOf = new Map<Attempt, number>()
  const loads = new Map<string, Load>()
  let lastId = 0

  const waiting = (): readonly Attempt[] => [...loads.values()].flatMap((load) => load.waiting)

  const attempts = (): readonly Attempt[] => [...idOf.keys(), ...waiting()]

  const begin = (attempt: Attempt): EffectRequest => {
    const { executionId, name, attempt: number, idempotencyKey, timeoutMs } = attempt.call
    const data = typeof attempt.call.data === 'string' ? attempt.call.data : attempt.call.data()
    const id = ++lastId
    running.set(id, { attempt, sentAt: now() })
    idOf.set(attempt, id)
    const bundle = attempt.bundle.digest
    attempt.call.onRun?.()
    return { kind: 'call', id, bundle, name, executionId, attempt: number, idempotencyKey, data, timeoutMs }
  }

  return {
    get occupied() {
      return running.size + waiting().length
    },
    get bundles() {
      return loads.size
    },
    add: (attempt) => {
      const { digest, load } = attempt.bundle
      const known = loads.get(digest)
      if (known?.state === 'loaded') return [begin(attempt)]
      if (known !== undefined) {
        known.waiting.push(attempt)
        return []
      }
      const { code, sourceMap } = load()
      loads.set(digest, { sentAt: now(), state: 'loading', waiting: [attempt] })
      return [{ kind: 'load', bundle: digest, code, ...(sourceMap !== undefined && { sourceMap }) }]
    },
    begin,
    endLoad: (bundle, state) => {
      const load = loads.get(bundle)
      if (load?.state !== 'loading') return undefined
      load.state = state
      return load.waiting.splice(0)
    },
    end: (id) => {
      const attempt = running.get(id)?.attempt
      running.delete(id)
      if (attempt !== undefined) idOf.delete(attempt)
      return attempt
    },
    attempt: (id) => running.get(id)?.attempt,
    idOf: (attempt) => idOf.get(attempt),
    attempts,
    wanted: () => attempts().filter(({ settled }) => !settled),
    snapshot: () => ({
      attempts: [...running].map(([id, { attempt, sentAt }]): AttemptSnapshot => ({
        id,
        sentAt,
        timeoutMs: attempt.call.timeoutMs,
        wanted: !attempt.settled,
      })),
      loads: [...loads].flatMap(([bundle, { state, sentAt }]) => (state === 'loading' ? [{ bundle, sentAt }] : [])),
      waiting: waiting().length,
    }),
  }
}
