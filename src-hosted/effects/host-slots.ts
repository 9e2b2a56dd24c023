// A bound on the processes of effects: of a worker, and of each workspace in it.

export type HostSlots = {
  /** Whether a workspace may start one more process. If not, `retry` is called once when that may have changed. */
  take(owner: SlotOwner): boolean
  /** A process has ended. */
  giveBack(workspaceId: string): void
}

export type SlotOwner = {
  readonly workspaceId: string
  /** Begins waiting attempts. */
  retry(): void
}

export const createHostSlots = (
  limits: { readonly hosts: number; readonly hostsPerWorkspace: number },
  /** Ends a process, of one workspace or of any; `giveBack` follows if it returns `true`. */
  endOne: (which: 'idle' | 'any', workspaceId: string | undefined) => boolean,
): HostSlots => {
  const used = new Map<string, number>()
  const waiting = new Set<SlotOwner>()
  let all = 0
  /** Processes that were told to end, and have not yet. */
  let ending = 0

  return {
    take: (owner) => {
      const own = used.get(owner.workspaceId) ?? 0
      const isFull = all >= limits.hosts
      if (isFull || own >= limits.hostsPerWorkspace) {
        waiting.add(owner)
        // A workspace that has no process gets one, even if none of the others is idle.
        const which = own === 0 ? 'any' : 'idle'
        if (ending < waiting.size && endOne(which, isFull ? undefined : owner.workspaceId)) ending += 1
        return false
      }
      used.set(owner.workspaceId, own + 1)
      all += 1
      return true
    },
    giveBack: (workspaceId) => {
      const left = (used.get(workspaceId) ?? 1) - 1
      if (left > 0) used.set(workspaceId, left)
      else used.delete(workspaceId)
      all -= 1
      ending = Math.max(0, ending - 1)
      const owners = [...waiting]
      waiting.clear()
      // A workspace that gets no process waits again, behind the others.
      for (const owner of owners) owner.retry()
    },
  }
}
