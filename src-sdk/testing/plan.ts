// What is handed to the Program next, by the rules of the service: in the order in which things became deliverable, then
// in the order in which the Program asked; an event that came in time wins over its timeout.

import type { BufferedEvent, Delivery, OpenWait, State } from './state.ts'

/** How long a cancelled Program may go on with its clean-up. */
export const CLEAN_UP_MS = 30_000

type Ready = { readonly since: number; readonly command: number; readonly delivery: Delivery }

export const nextDelivery = (state: State): Delivery | undefined => {
  if (state.status === 'queued') return { kind: 'start' }
  const first = readyNow(state).reduce<Ready | undefined>(
    (best, one) => (best === undefined || isBefore(one, best) ? one : best),
    undefined,
  )
  const { cancelRequestedAt, cancelDelivered } = state
  if (cancelRequestedAt === undefined || cancelDelivered) return first?.delivery
  return first !== undefined && first.since <= cancelRequestedAt ? first.delivery : { kind: 'cancel' }
}

const isBefore = (a: Ready, b: Ready): boolean => a.since < b.since || (a.since === b.since && a.command < b.command)

const readyNow = (state: State): readonly Ready[] => {
  const taken = new Set<BufferedEvent>()
  const ready: Ready[] = []
  for (const open of state.open.values()) {
    const { command } = open
    if (open.kind === 'effect') continue
    if (open.kind === 'event') {
      const event = state.buffered.find((one) => one.name === open.name && !taken.has(one))
      if (event !== undefined && isInTime(event, open)) {
        taken.add(event)
        const since = Math.max(event.receivedAt, open.since)
        ready.push({ since, command, delivery: { kind: 'event', wait: open, event } })
      } else if (open.dueAt !== undefined && open.dueAt <= state.now) {
        ready.push({ since: open.dueAt, command, delivery: { kind: 'wait_timeout', wait: open } })
      }
    } else if (open.dueAt <= state.now) {
      ready.push({ since: open.dueAt, command, delivery: { kind: 'timer', timer: open } })
    }
  }
  for (const answer of state.answers) {
    const effect = state.open.get(answer.command)
    if (effect?.kind !== 'effect') continue
    ready.push({ since: answer.at, command: answer.command, delivery: { kind: 'effect', effect, answer } })
  }
  return ready
}

const isInTime = (event: BufferedEvent, wait: OpenWait): boolean =>
  wait.dueAt === undefined || event.receivedAt < wait.dueAt || event.receivedAt <= wait.since

/** When something happens by itself next; undefined: never. */
export const nextDueAt = (state: State): number | undefined => {
  let next = Infinity
  for (const open of state.open.values()) {
    if (open.kind === 'effect' && open.phase === 'answered') continue
    next = Math.min(next, open.dueAt ?? Infinity)
  }
  if (state.cancelRequestedAt !== undefined) next = Math.min(next, state.cancelRequestedAt + CLEAN_UP_MS)
  return next === Infinity ? undefined : Math.max(next, state.now)
}
