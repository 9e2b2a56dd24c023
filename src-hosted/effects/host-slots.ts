// A bound on the processes of effects: of a worker, and of each workspace in it.

export type HostSlots = {
  /** Whether an owner may start one more process. If not, `retry` is called once when that may have changed. */
  take(owner: SlotOwner): boolean
  /** A process has ended. */
  giveBack(owner: SlotOwner): void
  /** A process has nothing to do: it ends if another one waits for its place. */
  offer(owner: SlotOwner): void
}

/** The processes of one version. */
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
  /** By owner and by workspace. */
  const used = new Map<SlotOwner | string, number>()
  const waiting = new Set<SlotOwner>()
  let all = 0
  /** Processes that were told to end, and have not yet. */
  let ending = 0

  const count = (key: SlotOwner | string): number => used.get(key) ?? 0
  const add = (owner: SlotOwner, change: 1 | -1): void => {
    all += change
    for (const key of [owner, owner.workspaceId]) {
      const now = count(key) + change
      if (now > 0) used.set(key, now)
      else used.delete(key)
    }
  }

  const makeRoom = (which: 'idle' | 'any', workspaceId: string | undefined): void => {
    if (ending < waiting.size && endOne(which, workspaceId)) ending += 1
  }

  return {
    take: (owner) => {
      const { workspaceId } = owner
      const own = count(workspaceId)
      const isFull = all >= limits.hosts
      if (!isFull && own < limits.hostsPerWorkspace) {
        add(owner, 1)
        return true
      }
      waiting.add(owner)
      // Who has no process gets one, even if none of the others is idle: a workspace from the others, a version from
      // those of its workspace.
      if (own > 0 && count(owner) === 0) makeRoom('any', workspaceId)
      else makeRoom(own === 0 ? 'any' : 'idle', isFull ? undefined : workspaceId)
      return false
    },
    giveBack: (owner) => {
      add(owner, -1)
      ending = Math.max(0, ending - 1)
      const owners = [...waiting]
      waiting.clear()
      // Who gets no process waits again, behind the others.
      for (const each of owners) each.retry()
    },
    offer: ({ workspaceId }) => {
      const isFull = all >= limits.hosts
      if (isFull || [...waiting].some((each) => each.workspaceId === workspaceId)) {
        makeRoom('idle', isFull ? undefined : workspaceId)
      }
    },
  }
}
