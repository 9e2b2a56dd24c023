// How many attempts of a workspace may be under way at once. Its Programs take turns with what is free, and so do first and
// repeated attempts of each, and Executions; the last places stay free for Programs that hold fewer.

import { createAttemptQueue, type AttemptQueue } from '../../src-runtime/effects/attempt-queue.ts'
import type { EffectCall } from '../../src-runtime/effects/effect-performer.ts'
import type { EndsWait } from '../../src-runtime/shared/fair-places.ts'

type Owner = Pick<EffectCall, 'programId' | 'executionId' | 'attempt'>

export type EffectPlaces = {
  /** Waits for a place, unless something ends the wait. Call the result once, at the end. */
  take(workspaceId: string, owner: Owner, unless: EndsWait): Promise<() => void>
}

type Waiting = { readonly call: Owner; readonly go: () => void }

type Workspace = {
  readonly waiting: AttemptQueue<Waiting>
  /** Places by Program; those that hold none are left out. */
  readonly held: Map<string, number>
  taken: number
}

/** Of a workspace's places, so many stay free for Programs that hold fewer than are free. */
const KEPT = 1 / 8

export const createEffectPlaces = (mostOf: (workspaceId: string) => number): EffectPlaces => {
  /** Those that hold or want places. */
  const workspaces = new Map<string, Workspace>()

  const admit = (workspaceId: string, workspace: Workspace): void => {
    const { waiting, held } = workspace
    const most = mostOf(workspaceId)
    const kept = most === Infinity ? 0 : Math.floor(most * KEPT)
    const ofProgram = (programId: string): boolean => {
      const free = most - workspace.taken
      return free > kept || (held.get(programId) ?? 0) < free
    }
    for (;;) {
      const next = workspace.taken < most ? waiting.take({ ofProgram, ofExecution: () => true }) : undefined
      if (next === undefined) break
      const { programId } = next.call
      workspace.taken += 1
      held.set(programId, (held.get(programId) ?? 0) + 1)
      next.go()
    }
    if (workspace.taken + waiting.size === 0) workspaces.delete(workspaceId)
  }

  const giveBack = (workspaceId: string, workspace: Workspace, programId: string): void => {
    const left = (workspace.held.get(programId) ?? 1) - 1
    if (left > 0) workspace.held.set(programId, left)
    else workspace.held.delete(programId)
    workspace.taken -= 1
    admit(workspaceId, workspace)
  }

  return {
    take: (workspaceId, call, unless) => {
      const workspace = workspaces.get(workspaceId) ?? {
        waiting: createAttemptQueue<Waiting>(),
        held: new Map(),
        taken: 0,
      }
      workspaces.set(workspaceId, workspace)
      return new Promise((resolve, reject) => {
        const go = (): void => {
          endWait()
          resolve(() => giveBack(workspaceId, workspace, call.programId))
        }
        const waiting: Waiting = { call, go }
        workspace.waiting.add(waiting)
        const endWait = unless((reason) => {
          if (workspace.waiting.remove(waiting)) reject(reason)
        })
        admit(workspaceId, workspace)
      })
    },
  }
}
