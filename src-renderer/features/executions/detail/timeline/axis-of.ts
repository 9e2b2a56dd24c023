// The axis of a journal: the times at which something happens in it, and the periods in which effects run.

import type { Journal } from '../journal/journal.ts'
import { type Axis, makeAxis, type Period, roomFor } from './axis.ts'

type Frame = { readonly from: number; readonly to: number; readonly now: number; readonly collapses: boolean }

export const axisOf = (journal: Journal, { from, to, now, collapses }: Frame): Axis => {
  const moments = momentsOf(journal, now)
  const busy = busyOf(journal, now)
  const axis = makeAxis({ from, to: now, moments, busy, collapses })
  // A collapsed current wait ends now. Otherwise leave room for what comes.
  if (now === to || axis.stretches.at(-1)!.isBreak) return axis
  return makeAxis({ from, to: roomFor(from, now), moments, busy, collapses })
}

const momentsOf = (journal: Journal, now: number): readonly number[] => {
  const moments = journal.lines.map((line) => line.at)
  for (const { attempts } of journal.commands) {
    for (const { retryAt } of attempts) if (retryAt !== undefined && retryAt <= now) moments.push(retryAt)
  }
  return moments
}

const busyOf = (journal: Journal, now: number): readonly Period[] =>
  journal.commands.flatMap(({ to: ended = now, attempts }) =>
    attempts.map(({ from, to = ended }) => ({ from, to })).filter(({ from, to }) => from < to),
  )
