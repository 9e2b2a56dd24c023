// What a visit must ask Restate for before it ends: attempts that nobody else asks for, and the next short timer.

import type { OpenEffect } from '../../src-runtime/engine/effect-attempts.ts'
import type { Visited, Why } from '../dispatch/dispatcher.ts'
import { hasLeaseEnded, nextAskedTimerAt } from './look-again.ts'
import { hereIn } from './visits-here.ts'
import { answeredCommands, type VisitedExecution } from './visited-execution.ts'

export type VisitDuty = {
  /** The visit has opened these commands, or must ask for them again. */
  add(commands: Iterable<number>): void
  /** Asks for everything, because an earlier visit may have died before it did. */
  addAll(): void
  /** Open effects for which this visit must ask. */
  effects(execution: VisitedExecution): readonly OpenEffect[]
  visited(execution: VisitedExecution, now: number, isPerformedHere: (effect: OpenEffect) => boolean): Visited
}

/** By then, Restate has a visit done again whose process was killed. */
const DONE_AGAIN_MS = 5_000

/**
 * From when on nobody may have asked for opened effects; `Infinity`: somebody has asked for all. The process of the last visit may have died
 * before it asked, and nobody does such a visit again. Or Restate has this visit done again, which had stored turns before the last one.
 */
const nobodyAskedFrom = (lastInvocation: string | undefined, invocation: string): number => {
  const [last, own] = [lastInvocation, invocation].map((id) => (id === undefined ? undefined : hereIn(id)))
  if (last === undefined) return Infinity
  if (own === undefined) return last.from - DONE_AGAIN_MS
  // A process does one visit of an Execution at a time, so the last one has asked.
  return own.process === last.process ? Infinity : last.from
}

/** `lookedAt`: when somebody looked last, where messages about effects may have been lost since; `begunAt`: when this visit began. */
export const createVisitDuty = (
  execution: VisitedExecution,
  why: Why,
  invocation: string,
  lookedAt: number | undefined,
  begunAt: number,
): VisitDuty => {
  const { lastInvocation } = execution
  // Ask for everything when this invocation died after a commit and runs again, when only a start has opened commands so
  // far, and when the sweeper found the Execution overdue.
  let isAll = why === 'sweep' || lastInvocation === undefined || lastInvocation === invocation
  /** What was asked for before; a visit that had to end early asked for another visit instead. */
  const timerBefore = why === 'again' ? undefined : nextAskedTimerAt(execution)
  /** Visits that follow each other keep the row from the sweeper. So they look for lost messages in its place. */
  const isLost = (effect: OpenEffect): boolean => lookedAt !== undefined && hasLeaseEnded(effect, lookedAt, begunAt)
  const untoldFrom = nobodyAskedFrom(lastInvocation, invocation)
  const isUntold = ({ since }: OpenEffect): boolean => since >= untoldFrom
  const opened = new Set<number>()

  const effects: VisitDuty['effects'] = (visited) => {
    const { live } = visited
    const answered = answeredCommands(visited)
    const found: OpenEffect[] = []
    for (const command of live.openEffects) {
      const open = live.open.get(command)
      if (open?.kind !== 'effect' || answered.has(command)) continue
      if (isAll || open.early === true || opened.has(command) || isUntold(open) || isLost(open)) found.push(open)
    }
    return found
  }

  return {
    add: (commands) => {
      for (const command of commands) opened.add(command)
    },
    addAll: () => {
      isAll = true
    },
    effects,
    visited: (visited, now, isPerformedHere) => {
      const attempts = effects(visited)
        .filter((effect) => !isPerformedHere(effect))
        .map(({ command, attempt, dueAt }) => ({ command, attempt, delayMs: Math.max(0, (dueAt ?? now) - now) }))
      const timer = nextAskedTimerAt(visited)
      if (timer === undefined || (!isAll && timer === timerBefore)) return { attempts }
      return { attempts, next: { why: 'timer', delayMs: Math.max(0, timer - now) } }
    },
  }
}
