// Plans what is delivered to the Program next: in the order in which the deliveries became ready, then by command. The
// plan is made before the Program runs, so that a replay has the same order.

import type { BufferedEvent, OpenCommand } from './execution-state.ts'
import type { LiveExecution, OwnLive } from './live-execution.ts'
import type { JsonText } from './journal.ts'
import type { Delivery, PlannedDelivery, PlannedEvent } from './turn.ts'

export const MAX_DELIVERIES = 256
/** A plan ends after the delivery with which its payloads reach this many bytes. */
export const MAX_PLAN_BYTES = 4 * 1024 * 1024

export type Moment = { readonly since: number; readonly command: number }
type Ready = Moment & { readonly delivery: PlannedDelivery }

/** `unread`: the first outcome of an effect that is stored and not in `live`; what became ready after it is delivered after it. */
export const planDeliveries = (live: OwnLive, now: number, unread?: Moment): readonly PlannedDelivery[] => {
  if (live.ended) return []
  if (live.turns === 0) return [{ kind: 'start', at: live.createdAt, data: live.startData }]
  // With thousands of open commands, one result must not make us check them all.
  const commandsMayBeReady = live.buffered.size > 0 || now >= live.noneDueBefore
  const commands = commandsMayBeReady ? readyCommands(live, now) : NO_COMMANDS
  const ready = [...commands.ready, ...readyEffects(live, now)]
  if (ready.length > 1) ready.sort(byTime)
  const end = earlierOf(commands.undecided, unread)
  if (end === undefined) return cut(withCancel(ready, live, now))
  const before = ready.filter((one) => byTime(one, end) < 0)
  return cut(isCancelledBefore(live, end) ? withCancel(before, live, now) : deliveriesOf(before))
}

const byTime = (a: Moment, b: Moment): number => a.since - b.since || a.command - b.command

const earlierOf = (a: Moment | undefined, b: Moment | undefined): Moment | undefined =>
  a === undefined || (b !== undefined && byTime(b, a) < 0) ? b : a

const deliveriesOf = (ready: readonly Ready[]): readonly PlannedDelivery[] => ready.map(({ delivery }) => delivery)

const isCancelledBefore = ({ cancelRequestedAt }: LiveExecution, { since }: Moment): boolean =>
  cancelRequestedAt !== undefined && cancelRequestedAt < since

/** What became ready before the cancel is delivered before it. The cancel is the last delivery of its plan. */
const withCancel = (ready: readonly Ready[], live: LiveExecution, now: number): readonly PlannedDelivery[] => {
  const { cancelRequestedAt } = live
  if (cancelRequestedAt === undefined || live.cancelDelivered) return deliveriesOf(ready)
  const before = ready.filter(({ since }) => since <= cancelRequestedAt)
  return [...deliveriesOf(before), { kind: 'cancel', at: now }]
}

const cut = (deliveries: readonly PlannedDelivery[]): readonly PlannedDelivery[] => {
  let bytes = 0
  for (const [index, delivery] of deliveries.entries()) {
    bytes += sizeOf(delivery)
    if (bytes >= MAX_PLAN_BYTES || index + 1 === MAX_DELIVERIES) return deliveries.slice(0, index + 1)
  }
  return deliveries
}

/** `data` of the `event_received` entry that is delivered. */
export const withPayload = (planned: PlannedEvent, data: JsonText): Delivery => {
  const { kind, at, command, name, source, eventId } = planned
  return { kind, at, command, name, source, eventId, data }
}

const sizeOf = (delivery: PlannedDelivery): number => {
  if (delivery.kind === 'event') return delivery.bytes
  return 'data' in delivery ? delivery.data.length : 0
}

type Commands = {
  readonly ready: readonly Ready[]
  /**
   * The first wait that is over, and of which we do not know whether an earlier event matches it, because it has no
   * position in the journal yet. What came after it is delivered after it.
   */
  readonly undecided?: Moment | undefined
}

const NO_COMMANDS: Commands = { ready: [] }

const readyCommands = (live: OwnLive, now: number): Commands => {
  const events = createEventQueues(live)
  const ready: Ready[] = []
  let undecided: Moment | undefined
  let noneDueBefore = Infinity
  for (const command of live.open.values()) {
    const found = readyCommand(command, events, now)
    if (found !== undefined && 'delivery' in found) ready.push(found)
    else undecided = earlierOf(undecided, found)
    if (command.dueAt !== undefined && command.dueAt < noneDueBefore) noneDueBefore = command.dueAt
  }
  live.noneDueBefore = noneDueBefore
  return { ready, undecided }
}

/** Without a delivery: it is undecided. */
const readyCommand = (open: OpenCommand, events: EventQueues, now: number): Ready | Moment | undefined => {
  const { command } = open
  switch (open.kind) {
    case 'effect':
      return undefined // the outcome of an effect comes through `effectDeliveries`
    case 'timer':
      return open.dueAt <= now
        ? { since: open.dueAt, command, delivery: { kind: 'timer', at: now, command, ...earlyOf(open) } }
        : undefined
    case 'event': {
      const queue = events(open.name)
      const event = queue.first()
      if (event !== undefined && isInTime(event, open)) {
        queue.take()
        return { since: deliverableSince(event, open), command, delivery: eventDelivery(open, event, now) }
      }
      if (open.dueAt === undefined || open.dueAt > now) return undefined
      if (open.position === undefined) return { since: open.dueAt, command }
      const delivery = { kind: 'wait_timeout', at: now, command, name: open.name, ...earlyOf(open) } as const
      return { since: open.dueAt, command, delivery }
    }
  }
}

const earlyOf = ({ early }: OpenCommand): { early?: true } => (early === true ? { early } : {})

type OpenWait = Extract<OpenCommand, { kind: 'event' }>

const stoodBefore = (event: BufferedEvent, wait: OpenWait): boolean =>
  wait.position !== undefined && event.position < wait.position

/** An event wins over the wait's timeout if it precedes the wait in the journal, or was accepted before the timeout. */
const isInTime = (event: BufferedEvent, wait: OpenWait): boolean =>
  wait.dueAt === undefined || event.receivedAt < wait.dueAt || stoodBefore(event, wait)

const deliverableSince = (event: BufferedEvent, wait: OpenWait): number =>
  stoodBefore(event, wait) ? wait.since : Math.max(event.receivedAt, wait.since)

const eventDelivery = (wait: OpenWait, event: BufferedEvent, now: number): PlannedDelivery => ({
  kind: 'event',
  at: now,
  command: wait.command,
  name: wait.name,
  source: event.position,
  eventId: event.id,
  bytes: event.bytes,
})

/** The buffered events of one name, oldest first. */
type EventQueue = { readonly first: () => BufferedEvent | undefined; readonly take: () => void }

const createEventQueue = (events: Iterable<BufferedEvent> = []): EventQueue => {
  const rest = events[Symbol.iterator]()
  let first = rest.next().value as BufferedEvent | undefined
  return {
    first: () => first,
    take: () => {
      first = rest.next().value as BufferedEvent | undefined
    },
  }
}

/** One queue for each name, made when it is asked for. */
type EventQueues = (name: string) => EventQueue

const createEventQueues = ({ buffered }: LiveExecution): EventQueues => {
  const queues = new Map<string, EventQueue>()
  return (name) => {
    const queue = queues.get(name) ?? createEventQueue(buffered.get(name)?.values())
    queues.set(name, queue)
    return queue
  }
}

const readyEffects = (live: OwnLive, now: number): Ready[] => {
  if (live.effectDeliveries.length === 0) return []
  // A result that arrived after a cancel closed its effect is ignored.
  live.effectDeliveries = live.effectDeliveries.filter(({ command }) => live.open.has(command))
  // Delivered at its own time, an outcome would set the Program's clock back behind what is delivered before it.
  return live.effectDeliveries.map((delivery) => ({
    since: delivery.at,
    command: delivery.command,
    delivery: { ...delivery, at: now },
  }))
}
