// The bars of a command, their tooltips, and a description of its row.

import { count, duration } from '../../../../parts/format.ts'
import type { Attempt, Command, CommandOutcome } from '../journal/commands.ts'

export type BarLook = 'running' | 'waiting' | 'waited' | 'backing-off' | 'completed' | 'failed' | 'cancelled'

export type Bar = {
  readonly from: number
  readonly to: number
  readonly look: BarLook
  /** The position of its entry. */
  readonly position: number
  /** The tooltip. */
  readonly title: string
}

/** Bars of open commands reach until `now`. */
export const barsOf = (command: Command, now: number): readonly Bar[] => {
  const to = command.to ?? Math.max(now, command.from)
  if (command.kind !== 'effect') {
    const position = command.endPosition ?? command.position
    return [{ from: command.from, to, look: lookOf(command), position, title: outcomeText(command, now) }]
  }
  return command.attempts.flatMap((attempt) => barsOfAttempt(command, attempt, to))
}

const barsOfAttempt = (command: Command, attempt: Attempt, end: number): readonly Bar[] => {
  // The effect backs off: its next attempt has not begun, and the dashed bar reaches until now.
  if (attempt.from > end) return []
  const to = attempt.to ?? end
  const title = attemptText(attempt, to)
  const bar = {
    from: attempt.from,
    to,
    look: ATTEMPT_LOOKS[attempt.outcome],
    position: attempt.position ?? command.position,
    title,
  }
  if (attempt.retryAt === undefined) return [bar]
  const until = Math.min(attempt.retryAt, end)
  return [
    bar,
    {
      from: to,
      to: until,
      look: 'backing-off',
      position: bar.position,
      title: `Backs off for ${duration(attempt.retryAt - to)}`,
    },
  ]
}

/** The narrowest bar. */
const LEAST_PX = 2
/** A pause of less cannot be seen between the bars before and after it. */
const LEAST_PAUSE_PX = 1

/**
 * Without those of the same look that cover less than two more pixels than the ones before: an effect may have thousands of
 * attempts. Nor with pauses between attempts that the bars before cover, and over which they would be drawn. `bars` are
 * in order.
 */
export const barsApart = (
  bars: readonly Bar[],
  pxOf: (time: number) => number,
  selected: number | undefined,
): readonly Bar[] => {
  const drawnTo = new Map<BarLook, number>()
  let coveredTo = -Infinity
  return bars.filter(({ from, to, look, position }) => {
    const end = Math.max(pxOf(to), pxOf(from) + LEAST_PX)
    const isSeen = look !== 'backing-off' || pxOf(to) - coveredTo >= LEAST_PAUSE_PX
    if (position !== selected && (!isSeen || end - (drawnTo.get(look) ?? -Infinity) < LEAST_PX)) return false
    drawnTo.set(look, end)
    coveredTo = Math.max(coveredTo, end)
    return true
  })
}

const ATTEMPT_LOOKS: Readonly<Record<Attempt['outcome'], BarLook>> = {
  running: 'running',
  completed: 'completed',
  failed: 'failed',
  dropped: 'cancelled',
}

const attemptText = (attempt: Attempt, to: number): string => {
  const length = duration(to - attempt.from)
  const early = attempt.early === true ? ' (early)' : ''
  const head = `Attempt ${attempt.number}${early}: ${attempt.outcome === 'running' ? `running for ${length}` : `${attempt.outcome} after ${length}`}`
  return attempt.error === undefined ? head : `${head}: ${attempt.error}`
}

const lookOf = ({ kind, outcome }: Pick<Command, 'kind' | 'outcome'>): BarLook => {
  switch (outcome) {
    case 'open':
      return kind === 'effect' ? 'running' : 'waiting'
    case 'completed':
    case 'fired':
    case 'delivered':
      return kind === 'effect' ? 'completed' : 'waited'
    case 'failed':
      return 'failed'
    case 'timed out':
    case 'cancelled':
    case 'dropped':
      return 'cancelled'
  }
}

/** Whether an attempt failed and the next one has not begun. */
export const isBackingOff = (command: Command, now: number): boolean =>
  command.outcome === 'open' && (command.attempts.at(-1)?.from ?? now) > now

/** Excludes the attempt that the effect backs off for. */
const begunAttempts = (command: Command, now: number): number =>
  command.attempts.length - (isBackingOff(command, now) ? 1 : 0)

/** The outcome of a command so far, in a few words. */
export const outcomeText = (command: Command, now: number): string => {
  const length = duration(lengthOf(command, now))
  const attempts = begunAttempts(command, now) > 1 ? `, ${count(begunAttempts(command, now))} attempts` : ''
  if (command.outcome === 'open') return `${openText(command, now)} ${length}${attempts}`
  return `${command.outcome}${command.early === true ? ' early' : ''} after ${length}${attempts}`
}

const openText = (command: Command, now: number): string => {
  if (command.kind === 'timer') return 'sleeping for'
  if (command.kind === 'wait') return 'waiting for'
  return isBackingOff(command, now) ? 'backing off, for' : 'running for'
}

export const commandTitle = (command: Command): string => {
  if (command.kind === 'timer') return 'sleep'
  return command.name
}

/** The duration, and the outcome unless it is the usual one. */
export const labelOf = (command: Command, now: number): string => {
  const took = duration(lengthOf(command, now))
  if (isBackingOff(command, now)) return `${took} · attempt ${command.attempts.length} next`
  const attempts = begunAttempts(command, now) > 1 ? ` · ${count(begunAttempts(command, now))} attempts` : ''
  const early = command.early === true ? 'early' : undefined
  const ended = [USUAL.has(command.outcome) ? undefined : command.outcome, early].filter((word) => word !== undefined)
  return [took, ...ended].join(' · ') + attempts
}

const USUAL: ReadonlySet<CommandOutcome> = new Set(['open', 'completed', 'fired', 'delivered'])

const lengthOf = ({ from, to }: Command, now: number): number => (to ?? Math.max(now, from)) - from

export type FanOut = {
  readonly from: number
  readonly to: number
  /** The time when half of them had ended; `to` while some are open. */
  readonly halfAt: number
  readonly look: BarLook
  /** Where some failed, spread over the bar. */
  readonly failures: readonly Bar[]
  /** `p50 180 ms · 3 failed` */
  readonly label: string
}

/** How many failures of a fan-out can be told apart. */
const MOST_FAILURES = 100

/** Many commands as one bar. */
export const fanOutOf = (commands: readonly Command[], now: number): FanOut => {
  const from = commands[0]!.from
  const ends = commands
    .map((command) => command.to ?? Math.max(now, command.from))
    .toSorted((one, other) => one - other)
  const lengths = commands.map((command) => lengthOf(command, now)).toSorted((one, other) => one - other)
  const failed = commands.filter((command) => command.outcome === 'failed')
  const open = commands.filter((command) => command.outcome === 'open').length
  const middle = Math.floor((commands.length - 1) / 2)
  const parts = [
    `p50 ${duration(lengths[middle]!)}`,
    failed.length > 0 && `${failed.length} failed`,
    open > 0 && `${open} open`,
  ]
  const to = ends.at(-1)!
  return {
    from,
    to,
    halfAt: ends[middle]!,
    look: lookOfMany(commands),
    failures: apart(failed, (to - from) / MOST_FAILURES).map((command) => failureOf(command, now)),
    label: parts.filter((part) => part !== false).join(' · '),
  }
}

/** How most of them look; while some are open, how these do, unless most failed. */
const lookOfMany = (commands: readonly Command[]): BarLook => {
  const { kind } = commands[0]!
  const most = (look: BarLook) => commands.filter((command) => lookOf(command) === look).length * 2 > commands.length
  if (most('failed')) return 'failed'
  if (commands.some(({ outcome }) => outcome === 'open')) return lookOf({ kind, outcome: 'open' })
  return most('cancelled') ? 'cancelled' : lookOf({ kind, outcome: 'completed' })
}

/** Those that ended at least so long after one before. */
const apart = (commands: readonly Command[], leastMs: number): readonly Command[] => {
  let last = -Infinity
  return commands
    .toSorted((one, other) => one.to! - other.to!)
    .filter(({ to }) => {
      if (to! - last < leastMs) return false
      last = to!
      return true
    })
}

const failureOf = (command: Command, now: number): Bar => ({
  from: command.to!,
  to: command.to!,
  look: 'failed',
  position: command.endPosition ?? command.position,
  title: `Command ${command.number}: ${outcomeText(command, now)}`,
})
