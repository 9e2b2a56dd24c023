// A bound on the processes of effects: of a worker, and of each workspace in it. The last ones stay free for workspaces that
// have fewer.

export type HostSlots = {
  /**
   * Whether an owner may start one more process; `isOnly`: its attempts have none. If not, `retry` is called when that may
   * have changed.
   */
  take(owner: SlotOwner, isOnly: boolean): boolean
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

/** A process that was told to end may have attempts that take hours. So for those that still wait, another one ends too. */
const AGAIN_MS = 1_000

export const createHostSlots = (
  limits: { readonly hosts: number; readonly hostsPerWorkspace: number },
  /** Ends a process, of one workspace or of any, once its attempts have ended. `false`: there is none. */
  endOne: (which: 'idle' | 'any', workspaceId: string | undefined) => boolean,
): HostSlots => {
  const used = new Map<string, number>()
  const waiting = new Set<SlotOwner>()
  let all = 0
  /** Processes that were told to end, and have not yet: without attempts, and with some. */
  const ending = { idle: 0, any: 0 }
  let again: NodeJS.Timeout | undefined

  const hasRoom = (own: number): boolean => {
    const free = limits.hosts - all
    if (free === 0 || own >= limits.hostsPerWorkspace) return false
    return own < free || own === 0 || free > Math.floor(limits.hosts / 4)
  }

  const endIdle = (workspaceId: string | undefined): void => {
    if (ending.idle < waiting.size && endOne('idle', workspaceId)) ending.idle += 1
  }
  const endAny = (workspaceId: string | undefined): void => {
    if (ending.idle + ending.any < waiting.size && endOne('any', workspaceId)) ending.any += 1
  }

  const retryAll = (): void => {
    clearTimeout(again)
    again = undefined
    const owners = [...waiting]
    waiting.clear()
    // Who gets no process waits again, behind the others.
    for (const owner of owners) owner.retry()
  }

  const wait = (owner: SlotOwner): void => {
    waiting.add(owner)
    again ??= setTimeout(() => {
      ending.any = 0
      retryAll()
    }, AGAIN_MS).unref()
  }

  return {
    take: (owner, isOnly) => {
      const { workspaceId } = owner
      const own = used.get(workspaceId) ?? 0
      if (hasRoom(own)) {
        used.set(workspaceId, own + 1)
        all += 1
        return true
      }
      wait(owner)
      endIdle(own < limits.hostsPerWorkspace ? undefined : workspaceId)
      // Who has none gets one, even if none is idle: a workspace from the others, a version from those of its workspace.
      if (isOnly) endAny(own === 0 ? undefined : workspaceId)
      return false
    },
    giveBack: ({ workspaceId }) => {
      const left = (used.get(workspaceId) ?? 1) - 1
      if (left > 0) used.set(workspaceId, left)
      else used.delete(workspaceId)
      all -= 1
      if (ending.idle > 0) ending.idle -= 1
      else if (ending.any > 0) ending.any -= 1
      retryAll()
    },
    offer: ({ workspaceId }) => {
      const isWanted = [...waiting].some(
        (owner) => owner.workspaceId === workspaceId || (used.get(owner.workspaceId) ?? 0) < limits.hostsPerWorkspace,
      )
      if (isWanted) endIdle(workspaceId)
    },
  }
}
