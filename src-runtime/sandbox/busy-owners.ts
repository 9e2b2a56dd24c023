// Records which owners take much time of the shared host while others wait for it. Their new Executions, and those that take the
// time, run in another shared host until they are quiet. An owner is a tenant, or a Program where there are no tenants.

import { forgetOldest } from '../shared/forget-oldest.ts'
import type { Activation } from './program-hosts.ts'

type Code = Pick<Activation, 'executionId' | 'programId' | 'tenant'>

export type BusyOwners = {
  /** Whether the Execution should run in the host of busy owners. `isNew`: it has not run yet. */
  runsApart(code: Code, isNew: boolean): boolean
  /** It held a host for so long at once. `othersWaited`: those of another owner, in the host that nearly all share. */
  noteHeld(code: Code, heldMs: number, othersWaited: boolean): void
  forget(executionId: string): void
  /** The host of busy owners has ended, and with it the images that it held. */
  forgetAll(): void
}

const MOST_ENTRIES = 10_000
/** What an owner may take without ever becoming busy. */
const SHARE = 0.1
/** It is busy when it has taken so much more, and others wait. */
const BUSY_FROM_MS = 600
/** No more is counted, so that it is quiet again after 15 s at most. */
const MOST_MS = 1500

export const ownerKey = ({ tenant, programId }: Pick<Code, 'tenant' | 'programId'>): string => tenant ?? programId

/** `now` in ms, from a clock that never goes back. */
export const createBusyOwners = (now = (): number => performance.now()): BusyOwners => {
  /** In the order of their latest time; the first entries are dropped first. */
  const owners = new Map<string, { readonly takenMs: number; readonly at: number; readonly isBusy: boolean }>()
  /** Executions that run apart. */
  const apart = new Set<string>()

  const takenOf = (owner: string) => {
    const entry = owners.get(owner)
    if (entry === undefined) return undefined
    const takenMs = entry.takenMs - SHARE * (now() - entry.at)
    if (takenMs > 0) return { takenMs, isBusy: entry.isBusy }
    owners.delete(owner)
    return undefined
  }

  const moveApart = (executionId: string): void => {
    apart.add(executionId)
    forgetOldest(apart, MOST_ENTRIES)
  }

  return {
    runsApart: (code, isNew) => {
      if (apart.has(code.executionId)) return true
      if (!isNew || owners.size === 0 || takenOf(ownerKey(code))?.isBusy !== true) return false
      moveApart(code.executionId)
      return true
    },
    noteHeld: (code, heldMs, othersWaited) => {
      const owner = ownerKey(code)
      const before = takenOf(owner)
      const takenMs = Math.min(MOST_MS, (before?.takenMs ?? 0) + heldMs)
      const isBusy = before?.isBusy === true || (othersWaited && takenMs >= BUSY_FROM_MS)
      owners.delete(owner)
      owners.set(owner, { takenMs, at: now(), isBusy })
      forgetOldest(owners, MOST_ENTRIES)
      if (isBusy) moveApart(code.executionId)
    },
    forget: (executionId) => {
      apart.delete(executionId)
    },
    forgetAll: () => apart.clear(),
  }
}
