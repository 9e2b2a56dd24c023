// Notifies the user, once for each failure, that the runtime has failed and does not start again within seconds.

import type { RuntimeState } from '../preload/desktop-api.ts'
import { type NotifyRules, runtimeFailed, type ShownText } from './notification-texts.ts'

/** The first restarts come within seconds, and often help. */
const SOON_MS = 10_000

/** Gets each new state. Those who turned on any rule want to know, because nothing else notifies them any more. */
export const createRuntimeWatch = (parts: {
  readonly rules: () => NotifyRules
  readonly show: (notice: ShownText) => void
  /** Whether the dashboard already shows it to the user. */
  readonly isSeen: () => boolean
  readonly now: () => number
}): ((state: RuntimeState) => void) => {
  const { rules, show, isSeen, now } = parts
  let isTold = false
  return (state) => {
    if (state.kind === 'ready' || state.kind === 'stopped') isTold = false
    if (isTold || state.kind !== 'crashed') return
    if (state.restartsAt !== null && Date.parse(state.restartsAt) - now() <= SOON_MS) return
    isTold = true
    if (Object.values(rules()).some(Boolean) && !isSeen()) show(runtimeFailed(state.message))
  }
}
