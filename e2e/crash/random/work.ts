// Random work for one Program, and its outcome, which must not depend on when a process is killed or an event arrives.

import type { Random } from '../random.ts'

export type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value }

export type EffectInput = {
  readonly value?: Value
  readonly ms?: number
  /** How many attempts fail. */
  readonly failures?: number
  /** What its first attempt throws, which is not retried. */
  readonly fatal?: string
}

/** What the Program does. `list` and the others of its kind do their items; all times are in ms. */
export type Work =
  | { readonly do: 'return'; readonly value: Value }
  | { readonly do: 'throw'; readonly message: string }
  | { readonly do: 'tick'; readonly times: number }
  | { readonly do: 'sleep' | 'sleepUntil'; readonly ms: number }
  /** Answers which timer was first, or in which order they were due. */
  | { readonly do: 'firstTimer' | 'timersInOrder'; readonly ms: readonly number[] }
  | { readonly do: 'wait'; readonly event: string; readonly timeoutMs?: number }
  | { readonly do: 'waitMany'; readonly event: string; readonly times: number }
  /** Waits again after each timeout, or waits once beside timers that repeat. */
  | { readonly do: 'waitAgain' | 'waitBesideTimers'; readonly event: string; readonly ms: number }
  | { readonly do: 'effect'; readonly input: EffectInput; readonly maxAttempts?: number }
  /** Answers whether an effect got the random numbers that the Program still has. */
  | { readonly do: 'random' }
  | {
      readonly do: 'list' | 'generator' | 'all' | 'limited' | 'settled' | 'any' | 'race'
      readonly items: readonly Work[]
    }
  | { readonly do: 'catch'; readonly body: Work; readonly handler: Work }
  | { readonly do: 'finally'; readonly body: Work; readonly after: Work }
  /** Begins `beside` and does not wait for it. */
  | { readonly do: 'beside'; readonly body: Work; readonly beside: Work }
  /** Fails if the clock goes back meanwhile. */
  | { readonly do: 'clock'; readonly body: Work }

/** `error`: the message of what is thrown. */
export type Outcome = { readonly value: Value } | { readonly error: string }

export type Task = {
  readonly work: Work
  readonly outcome: Outcome
  /** The events to send, by name; their order counts only within a name. */
  readonly events: ReadonlyMap<string, readonly Value[]>
}

type Part = { readonly work: Work; readonly outcome: Outcome }

export const TIMED_OUT = 'timed out'
export const RACED = 'raced'
/** What the Program logs begins so: each thing that it sees, and at its end all that it remembers of them, as JSON. */
export const SEEN = 'saw '
export const ALL_SEEN = 'all '

/** `size`: about how many pieces the work has. */
export const makeTask = (random: Random, size: number): Task => {
  const events = new Map<string, readonly Value[]>()
  let names = 0
  const newName = (): string => `n${(names += 1)}`
  const pick = <Item>(items: readonly Item[]): Item => items[random.below(items.length)]!
  const times = <Item>(count: number, make: (at: number) => Item): readonly Item[] =>
    Array.from({ length: count }, (_, at) => make(at))
  const value = (): Value => pick<Value>([0, 'a', null, [1, 2], { k: 'ü' }, 0.1, true, '', 'x'.repeat(3_000)])
  const newEvent = (count: number) => {
    const event = newName()
    const payloads = times(count, (at) => pick<Value>([`${event} ${at}`, { at }, at, null]))
    events.set(event, payloads)
    return { event, payloads, first: payloads[0]! }
  }

  const timers = (): Part => {
    const from = pick([10, 50, 400])
    const ms = times(2 + random.below(3), () => from + random.below(4) * pick([1, 30, 400]))
    // Those of one moment fire in the order in which they were begun.
    const order = ms.map((_, at) => at).toSorted((a, b) => ms[a]! - ms[b]! || a - b)
    return random.below(2) === 0
      ? { work: { do: 'firstTimer', ms }, outcome: { value: order[0]! } }
      : { work: { do: 'timersInOrder', ms }, outcome: { value: order } }
  }

  const leaves: readonly (() => Part)[] = [
    () => returned(value()),
    () => thrown(newName()),
    () => ({ work: { do: 'tick', times: 1 + random.below(5) }, outcome: { value: null } }),
    () => ({ work: { do: 'sleep', ms: pick([0, 1, 5, 30, 200, 900]) }, outcome: { value: null } }),
    () => ({ work: { do: 'sleepUntil', ms: pick([-100, 0, 10, 300]) }, outcome: { value: null } }),
    timers,
    () => {
      const { event, first } = newEvent(1)
      return { work: { do: 'wait', event }, outcome: { value: first } }
    },
    () => ({
      work: { do: 'wait', event: newName(), timeoutMs: pick([0, 1, 20, 300]) },
      outcome: { error: TIMED_OUT },
    }),
    () => {
      const { event, payloads } = newEvent(2 + random.below(3))
      return { work: { do: 'waitMany', event, times: payloads.length }, outcome: { value: payloads } }
    },
    () => {
      const { event, first } = newEvent(1)
      const how = pick(['waitAgain', 'waitBesideTimers'] as const)
      return { work: { do: how, event, ms: pick([20, 60, 250]) }, outcome: { value: first } }
    },
    () => {
      const given = value()
      const input = { value: given, ms: pick([0, 0, 5, 100, 700]), failures: pick([0, 0, 1, 2]) }
      return { work: { do: 'effect', input }, outcome: { value: given } }
    },
    () => {
      const fatal = newName()
      return { work: { do: 'effect', input: { fatal } }, outcome: { error: fatal } }
    },
    () => {
      const maxAttempts = 1 + random.below(3)
      const error = `attempt ${maxAttempts} failed`
      return { work: { do: 'effect', input: { failures: 1_000 }, maxAttempts }, outcome: { error } }
    },
    () => ({ work: { do: 'random' }, outcome: { value: true } }),
  ]

  /** The same, with an outcome that is a value. */
  const caught = ({ work, outcome }: Part): Part => {
    const handled = part(1)
    const handler = 'value' in handled.outcome ? handled : returned(0)
    return {
      work: { do: 'catch', body: work, handler: handler.work },
      outcome: 'value' in outcome ? outcome : { value: [outcome.error, valueOf(handler)] },
    }
  }
  const safe = (one: Part): Part => ('value' in one.outcome ? one : caught(one))

  const branches: readonly ((size: number) => Part)[] = [
    (left) => {
      const parts = split(left)
      return { work: { do: pick(['list', 'generator']), items: worksOf(parts) }, outcome: firstErrorOr(parts) }
    },
    (left) => {
      // With two errors, time would decide which one is first.
      let mayFail = random.below(3) === 0
      const parts = split(left).map((one) => {
        if ('value' in one.outcome) return one
        const kept = mayFail ? one : caught(one)
        mayFail = false
        return kept
      })
      return { work: { do: pick(['all', 'limited']), items: worksOf(parts) }, outcome: firstErrorOr(parts) }
    },
    (left) => {
      const parts = split(left)
      const told = parts.map(({ outcome }) => ('value' in outcome ? outcome.value : outcome.error))
      return { work: { do: 'settled', items: worksOf(parts) }, outcome: { value: told } }
    },
    (left) => {
      const one = safe(part(left - 1))
      return { work: { do: 'any', items: [thrown('no').work, one.work] }, outcome: one.outcome }
    },
    (left) => {
      const never: Work = { do: 'wait', event: newName() }
      const items = [
        ...split(left)
          .map(safe)
          .map(({ work }) => work),
        never,
      ]
      return { work: { do: 'race', items }, outcome: { value: RACED } }
    },
    (left) => caught(part(left - 1)),
    (left) => {
      const [body, after] = [part(left >> 1), part(left >> 1)]
      const outcome = 'error' in after.outcome ? after.outcome : body.outcome
      return { work: { do: 'finally', body: body.work, after: after.work }, outcome }
    },
    (left) => {
      const [body, beside] = [part(left >> 1), part(left >> 1)]
      return { work: { do: 'beside', body: body.work, beside: beside.work }, outcome: body.outcome }
    },
    (left) => {
      const { work, outcome } = part(left - 1)
      return { work: { do: 'clock', body: work }, outcome }
    },
  ]

  const part = (left: number): Part => (left <= 1 ? pick(leaves)() : pick(branches)(left))
  const split = (left: number): readonly Part[] => {
    const count = 1 + random.below(Math.min(4, left - 1))
    return times(count, () => part(Math.floor((left - 1) / count)))
  }
  return { ...part(size), events }
}

const returned = (value: Value): Part => ({ work: { do: 'return', value }, outcome: { value } })
const thrown = (message: string): Part => ({ work: { do: 'throw', message }, outcome: { error: message } })
const worksOf = (parts: readonly Part[]): readonly Work[] => parts.map(({ work }) => work)
const valueOf = ({ outcome }: Part): Value => ('value' in outcome ? outcome.value : null)
const firstErrorOr = (parts: readonly Part[]): Outcome =>
  parts.find(({ outcome }) => 'error' in outcome)?.outcome ?? { value: parts.map(valueOf) }
