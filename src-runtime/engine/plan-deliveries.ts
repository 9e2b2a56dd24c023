// What is handed to the Program next, and in which order. Decided before the Program runs, so that the order is the
// same on replay: by the moment at which each became deliverable, then by command.

import type { BufferedEvent, OpenCommand } from './execution-state.ts'
import type { LiveExecution } from './live-execution.ts'
import type { Delivery } from './turn.ts'

export const MAX_DELIVERIES = 256
/** A plan is cut behind the delivery that reaches this many characters of payload. */
export const MAX_PLAN_LENGTH = 4 * 1024 * 1024

type Ready = { readonly since: number; readonly command: number; readonly delivery: Delivery }

export const planDeliveries = (live: LiveExecution, now: number): readonly Delivery[] => {
  if (live.ended) return []
  if (live.turns === 0) return [{ kind: 'start', at: live.createdAt, data: live.startData }]
  // With thousands of commands open, a result of one must not mean a look at all of them.
  const commandsMayBeReady = live.buffered.size > 0 || now >= live.noneDueBefore
  const ready = [...(commandsMayBeReady ? readyCommands(live, now) : []), ...readyEffects(live)]
  if (ready.length > 1) ready.sort((a, b) => a.since - b.since || a.command - b.command)
  return cut(withCancel(ready, live, now))
}

/** Nothing that became deliverable after the cancel is delivered before it, and nothing behind it in the same plan. */
const withCancel = (ready: readonly Ready[], live: LiveExecution, now: number): readonly Delivery[] => {
  const { cancelRequestedAt } = live
  if (cancelRequestedAt === undefined || live.cancelDelivered) return ready.map(({ delivery }) => delivery)
  const before = ready.filter(({ since }) => since <= cancelRequestedAt).map(({ delivery }) => delivery)
  return [...before, { kind: 'cancel', at: now }]
}

const cut = (deliveries: readonly Delivery[]): readonly Delivery[] => {
  let length = 0
  for (const [index, delivery] of deliveries.entries()) {
    length += 'data' in delivery ? delivery.data.length : 0
    if (length >= MAX_PLAN_LENGTH || index + 1 === MAX_DELIVERIES) return deliveries.slice(0, index + 1)
  }
  return deliveries
}

const readyCommands = (live: LiveExecution, now: number): Ready[] => {
  const events = queuesByName(live.buffered.values())
  const ready: Ready[] = []
  let noneDueBefore = Infinity
  for (const command of live.open.values()) {
    const found = readyCommand(command, events, now)
    if (found !== undefined) ready.push(found)
    if (command.dueAt !== undefined && command.dueAt < noneDueBefore) noneDueBefore = command.dueAt
  }
  live.noneDueBefore = noneDueBefore
  return ready
}

const readyCommand = (
  open: OpenCommand,
  events: ReadonlyMap<string, BufferedEvent[]>,
  now: number,
): Ready | undefined => {
  const { command } = open
  switch (open.kind) {
    case 'effect':
      return undefined // its attempts are the effect performer's; what comes of them are effect deliveries
    case 'timer':
      return open.dueAt <= now
        ? { since: open.dueAt, command, delivery: { kind: 'timer', at: now, command } }
        : undefined
    case 'event': {
      const queue = events.get(open.name)
      const event = queue?.[0]
      if (queue !== undefined && event !== undefined && isInTime(event, open)) {
        queue.shift()
        return { since: Math.max(event.receivedAt, open.since), command, delivery: eventDelivery(open, event, now) }
      }
      if (open.dueAt === undefined || open.dueAt > now) return undefined
      return { since: open.dueAt, command, delivery: { kind: 'wait_timeout', at: now, command, name: open.name } }
    }
  }
}

type OpenWait = Extract<OpenCommand, { kind: 'event' }>

/** An event accepted before the timeout wins over it, and so does one that lay there when the wait began. */
export const isInTime = (event: { readonly receivedAt: number }, wait: OpenWait): boolean =>
  wait.dueAt === undefined || event.receivedAt < wait.dueAt || event.receivedAt <= wait.since

const eventDelivery = (wait: OpenWait, event: BufferedEvent, now: number): Delivery => ({
  kind: 'event',
  at: now,
  command: wait.command,
  name: wait.name,
  source: event.position,
  eventId: event.id,
  data: event.data,
})

const queuesByName = (events: Iterable<BufferedEvent>): Map<string, BufferedEvent[]> => {
  const queues = new Map<string, BufferedEvent[]>()
  for (const event of events) {
    const queue = queues.get(event.name)
    if (queue === undefined) queues.set(event.name, [event])
    else queue.push(event)
  }
  return queues
}

const readyEffects = (live: LiveExecution): Ready[] => {
  if (live.effectDeliveries.length === 0) return []
  // A result that came in after its effect was closed (by a cancel) is late, and ignored.
  live.effectDeliveries = live.effectDeliveries.filter(({ command }) => live.open.has(command))
  return live.effectDeliveries.map((delivery) => ({ since: delivery.at, command: delivery.command, delivery }))
}
