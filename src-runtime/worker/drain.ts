// A graceful stop: no new work begins, and attempts of effects that have not begun are called off. Running ones may still
// end, and the turns that their outcomes cause are run and stored.

import type { Clock } from '../shared/clock.ts'
import { abortWaitingAttempts, type ActiveExecution } from './active-execution.ts'

export type Drain = {
  readonly isOn: boolean
  /** Settles when nothing is running, or after `graceMs`. `onWaiting` gets the number of running effects, if any. */
  begin(graceMs: number, onWaiting?: (effects: number) => void): Promise<void>
  /** Call when something ended: checks whether anything is left. */
  look(): void
}

export const createDrain = (clock: Clock, actives: () => Iterable<ActiveExecution>): Drain => {
  let isOn = false
  let onEmpty: (() => void) | undefined

  const underWay = (): number => {
    let effects = 0
    for (const { gone, attempts, live } of actives()) {
      if (!gone) effects += attempts.size + live.effectDeliveries.length
    }
    return effects
  }

  return {
    get isOn() {
      return isOn
    },
    begin: async (graceMs, onWaiting) => {
      isOn = true
      for (const active of actives()) abortWaitingAttempts(active)
      const effects = underWay()
      if (effects === 0 || graceMs <= 0) return
      onWaiting?.(effects)
      await new Promise<void>((resolve) => {
        const callOff = clock.after(graceMs, resolve)
        onEmpty = () => {
          callOff()
          resolve()
        }
      })
    },
    look: () => {
      if (onEmpty !== undefined && underWay() === 0) onEmpty()
    },
  }
}
