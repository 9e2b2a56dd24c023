// Whether an effect host takes new attempts, and when it stops: when it is idle or must be replaced, or makes way and has no
// attempts left.

import type { EffectHostLimits } from './effect-host-limits.ts'

type Stage = 'open' | 'making_way' | 'retiring' | 'stopping' | 'killed' | 'gone'

export type HostStage = {
  readonly isOpen: boolean
  readonly isKilled: boolean
  /** Looks whether it is idle. To be called when it gets or ends an attempt. `isUsedUp`: it must be replaced. */
  settleDown(isUsedUp: boolean): void
  /** Takes no new attempts, and stops when it has none left. */
  retire(): void
  /** The same, but only for so long: if it has some left by then, it takes new ones again. */
  makeWay(ms: number): void
  /** Ends making way. */
  stayOpen(): void
  /** It is killed by whoever calls this. */
  noteKill(): void
  /** Stops at once, whatever attempts it has. */
  stop(): void
  /** The process has ended. Answers whether it did so by itself. */
  end(): boolean
}

export const createHostStage = (deps: {
  readonly limits: Pick<EffectHostLimits, 'idleMs' | 'stopMs'>
  /** How many attempts occupy it. */
  readonly occupied: () => number
  readonly askToStop: () => void
  readonly killProcess: () => void
  /** It takes new attempts again. */
  readonly onOpenAgain: () => void
}): HostStage => {
  const { limits, occupied, askToStop, killProcess, onOpenAgain } = deps
  let stage: Stage = 'open'
  let idleTimer: NodeJS.Timeout | undefined
  let stopTimer: NodeJS.Timeout | undefined
  let wayTimer: NodeJS.Timeout | undefined

  const beginStop = (): void => {
    if (stopTimer !== undefined) return
    clearTimeout(idleTimer)
    askToStop()
    stopTimer = setTimeout(killProcess, limits.stopMs)
  }

  const retire = (): void => {
    if (stage !== 'open' && stage !== 'making_way') return
    clearTimeout(wayTimer)
    stage = 'retiring'
    if (occupied() === 0) beginStop()
  }

  const stayOpen = (): void => {
    if (stage !== 'making_way') return
    clearTimeout(wayTimer)
    stage = 'open'
    onOpenAgain()
  }

  return {
    get isOpen() {
      return stage === 'open'
    },
    get isKilled() {
      return stage === 'killed'
    },
    settleDown: (isUsedUp) => {
      clearTimeout(idleTimer)
      if (stage === 'open' && isUsedUp) stage = 'retiring'
      if (occupied() > 0) return
      if (stage === 'making_way') return retire()
      if (stage === 'retiring') return beginStop()
      if (stage === 'open') idleTimer = setTimeout(retire, limits.idleMs).unref()
    },
    retire,
    makeWay: (ms) => {
      if (stage !== 'open') return
      if (occupied() === 0) return retire()
      stage = 'making_way'
      wayTimer = setTimeout(stayOpen, ms).unref()
    },
    stayOpen,
    noteKill: () => {
      stage = 'killed'
    },
    stop: () => {
      if (stage === 'gone') return
      if (stage !== 'killed') stage = 'stopping'
      beginStop()
    },
    end: () => {
      for (const timer of [idleTimer, stopTimer, wayTimer]) clearTimeout(timer)
      const isUnexpected = stage === 'open' || stage === 'making_way' || stage === 'retiring'
      stage = 'gone'
      return isUnexpected
    },
  }
}
