// A user asks for something before it is due: fire a timer, time out a wait, or retry an effect now.

import type { OpenCommand } from './execution-state.ts'

/** `fire`: a timer, or the time-out of a wait. `retry`: the next attempt of an effect. */
export type EarlyAction = 'fire' | 'retry'

export type ActedEarly =
  /** The open command, with its new time. */
  | { readonly kind: 'rescheduled'; readonly open: OpenCommand }
  /** Already due; nothing to write. */
  | { readonly kind: 'due' }
  | { readonly kind: 'refused'; readonly why: 'not_open' | 'no_timeout' | 'under_way' | 'effect' | 'not_an_effect' }

export const actEarly = (action: EarlyAction, open: OpenCommand | undefined, now: number): ActedEarly => {
  if (open === undefined) return refused('not_open')
  switch (open.kind) {
    case 'timer':
      return action === 'fire' ? at(open, now, now) : refused('not_an_effect')
    case 'event':
      if (action === 'retry') return refused('not_an_effect')
      // An event that was accepted in this very millisecond comes before the time-out.
      return open.dueAt === undefined ? refused('no_timeout') : at(open, now + 1, now)
    case 'effect':
      if (action === 'fire') return refused('effect')
      if (open.early === true) return { kind: 'due' }
      return open.dueAt === undefined || open.dueAt <= now ? refused('under_way') : at(open, now, now)
  }
}

const at = (open: OpenCommand & { readonly dueAt?: number }, dueAt: number, now: number): ActedEarly =>
  open.dueAt !== undefined && (open.early === true || open.dueAt <= now)
    ? { kind: 'due' }
    : { kind: 'rescheduled', open: { ...open, dueAt, early: true } }

const refused = (why: Extract<ActedEarly, { kind: 'refused' }>['why']): ActedEarly => ({ kind: 'refused', why })
