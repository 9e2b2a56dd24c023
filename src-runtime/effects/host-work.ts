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
  /** The host runs, and so many loads and calls have arrived there. */
  noteBeat(heard: number): void
  /** Removes the attempts that have not arrived in the host, nor the code for which they wait. */
  takeUnheard(): readonly Attempt[]
  /** `undefined`: the attempt does not run. */
  idOf(attempt: Attempt): number | undefined
  attempts(): readonly Attempt[]
  /** The attempts that an Execution still waits for. */
  wanted(): readonly Attempt[]
  snapshot(): Pick<HostSnapshot, 'attempts' | 'loads' | 'waiting' | 'unheard'>
}

/** `place`: which of the loads and calls it is. */
type Sent = { readonly place: number; readonly sentAt: number }
type Load = Sent & { state: 'loading' | 'loaded' | 'failed'; readonly waiting: Attempt[] }

export const createHostWork = (now: () => number): HostWork => {
  const running = new Map<number, Sent & { readonly attempt: Attempt }>()
  const idOf = new Map<Attempt, number>()
  const loads = new Map<string, Load>()
  let lastId = 0
  let sent = 0
  let heard = 0
  let unheard: HostSnapshot['unheard']

  const waiting = (): readonly Attempt[] => [...loads.values()].flatMap((load) => load.waiting)

  const attempts = (): readonly Attempt[] => [...idOf.keys(), ...waiting()]

  const nextPlace = (): Sent => {
    const sentAt = now()
    unheard ??= { since: sentAt, beats: 0 }
    return { place: ++sent, sentAt }
  }

  const hear = (place: number): void => {
    if (place <= heard) return
    heard = place
    unheard = heard < sent ? { since: now(), beats: 0 } : undefined
  }

  const isHeard = ({ place }: Sent): boolean => place <= heard

  const end = (id: number): Attempt | undefined => {
    const found = running.get(id)
    if (found === undefined) return undefined
    running.delete(id)
    idOf.delete(found.attempt)
    return found.attempt
  }

  const begin = (attempt: Attempt): EffectRequest => {
    const { executionId, name, attempt: number, idempotencyKey, timeoutMs } = attempt.call
    const data = typeof attempt.call.data === 'string' ? attempt.call.data : attempt.call.data()
    const id = ++lastId
    running.set(id, { attempt, ...nextPlace() })
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
      loads.set(digest, { ...nextPlace(), state: 'loading', waiting: [attempt] })
      return [{ kind: 'load', bundle: digest, code, ...(sourceMap !== undefined && { sourceMap }) }]
    },
    begin,
    endLoad: (bundle, state) => {
      const load = loads.get(bundle)
      if (load?.state !== 'loading') return undefined
      load.state = state
      hear(load.place)
      return load.waiting.splice(0)
    },
    end: (id) => {
      hear(running.get(id)?.place ?? 0)
      return end(id)
    },
    noteBeat: (count) => {
      if (unheard !== undefined) unheard = { ...unheard, beats: unheard.beats + 1 }
      hear(count)
    },
    takeUnheard: () => {
      const calls = [...running].flatMap(([id, call]) => (isHeard(call) ? [] : (end(id) ?? [])))
      const waitingForLoads = [...loads.values()].flatMap((load) => (isHeard(load) ? [] : load.waiting.splice(0)))
      unheard = undefined
      return [...calls, ...waitingForLoads]
    },
    attempt: (id) => running.get(id)?.attempt,
    idOf: (attempt) => idOf.get(attempt),
    attempts,
    wanted: () => attempts().filter(({ settled }) => !settled),
    snapshot: () => ({
      unheard,
      attempts: [...running].map(([id, call]): AttemptSnapshot => ({
        id,
        sentAt: call.sentAt,
        timeoutMs: call.attempt.call.timeoutMs,
        wanted: !call.attempt.settled,
        heard: isHeard(call),
      })),
      loads: [...loads].flatMap(([bundle, load]) =>
        load.state === 'loading' ? [{ bundle, sentAt: load.sentAt, heard: isHeard(load) }] : [],
      ),
      waiting: waiting().length,
    }),
  }
}
