// A bound on the processes of effects: of a worker, and of each workspace in it. The last ones stay free for workspaces that
// have fewer.

export type HostSlots = {
  /**
   * Whether an owner may start one more process; `isFirst`: its attempts have none. If not, `retry` is called when that may
   * have changed.
   */
  take(owner: SlotOwner, isFirst: boolean): boolean
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

/** Of one workspace, or of all. `false`: there is none. */
export type Processes = {
  /** Ends one that has nothing to do. */
  retireIdle(workspaceId: string | undefined): boolean
  /** One takes no attempts for `ms`, and ends if it has none left before that. Each call chooses another one. */
  makeWay(workspaceId: string | undefined, ms: number): boolean
  /** Those that make way take attempts again. */
  stayOpen(): void
  /** ms on a monotonic clock. */
  now(): number
}

type Wait = {
  /** ms, as `now`. */
  readonly since: number
  /** Its attempts have no process that takes them. */
  readonly hasNone: boolean
}

const AGAIN_MS = 1_000
/**
 * A process makes way for as long as somebody has waited for it: it may have attempts that take hours, and those that come
 * later must not wait for them too.
 */
const LEAST_WAY_MS = 1_000
/** As long as an attempt that sets no timeout may take: after it, such attempts have ended, and the process with them. */
const MOST_WAY_MS = 300_000

export const createHostSlots = (
  limits: { readonly hosts: number; readonly hostsPerWorkspace: number },
  { retireIdle, makeWay, stayOpen, now }: Processes,
): HostSlots => {
  const used = new Map<string, number>()
  /** In the order in which they began to wait. */
  const waiting = new Map<SlotOwner, Wait>()
  /** Those that try again now, so that one that gets no process keeps the time since which it has waited. */
  let before = new Map<SlotOwner, Wait>()
  let all = 0
  /** Idle processes that were told to end, and have not yet. */
  let ending = 0
  /** Until when processes make way. */
  let ways: readonly number[] = []
  let again: NodeJS.Timeout | undefined

  const hasRoom = (own: number): boolean => {
    const free = limits.hosts - all
    if (free === 0 || own >= limits.hostsPerWorkspace) return false
    return own < free || own === 0 || free > Math.floor(limits.hosts / 4)
  }

  const endIdle = (workspaceId: string | undefined): void => {
    if (ending < waiting.size && retireIdle(workspaceId)) ending += 1
  }

  const endBusy = (workspaceId: string | undefined, since: number): void => {
    ways = ways.filter((until) => until > now())
    if (ending + ways.length >= waiting.size) return
    const ms = Math.min(MOST_WAY_MS, Math.max(LEAST_WAY_MS, now() - since))
    if (makeWay(workspaceId, ms)) ways = [...ways, now() + ms]
  }

  const retryAll = (): void => {
    before = new Map(waiting)
    waiting.clear()
    // An owner that gets no process waits again, in the same order.
    for (const owner of before.keys()) owner.retry()
    before.clear()
    if (ways.length === 0 || [...waiting.values()].some(({ hasNone }) => hasNone)) return
    // No owner that waits is without a process.
    ways = []
    stayOpen()
  }

  const wait = (owner: SlotOwner, hasNone: boolean): number => {
    const known = waiting.get(owner) ?? before.get(owner)
    const since = known?.since ?? now()
    waiting.set(owner, { since, hasNone: hasNone || waiting.get(owner)?.hasNone === true })
    again ??= setTimeout(() => {
      again = undefined
      retryAll()
    }, AGAIN_MS).unref()
    return since
  }

  return {
    take: (owner, isFirst) => {
      const { workspaceId } = owner
      const own = used.get(workspaceId) ?? 0
      if (hasRoom(own)) {
        used.set(workspaceId, own + 1)
        all += 1
        return true
      }
      const since = wait(owner, isFirst)
      endIdle(own < limits.hostsPerWorkspace ? undefined : workspaceId)
      // An owner without a process gets one even if none is idle: a workspace without any from all others, else from its own.
      if (isFirst) endBusy(own === 0 ? undefined : workspaceId, since)
      return false
    },
    giveBack: ({ workspaceId }) => {
      const left = (used.get(workspaceId) ?? 1) - 1
      if (left > 0) used.set(workspaceId, left)
      else used.delete(workspaceId)
      all -= 1
      if (ending > 0) ending -= 1
      else ways = ways.slice(1)
      retryAll()
    },
    offer: ({ workspaceId }) => {
      const isWanted = [...waiting].some(
        ([owner]) => owner.workspaceId === workspaceId || (used.get(owner.workspaceId) ?? 0) < limits.hostsPerWorkspace,
      )
      if (isWanted) endIdle(workspaceId)
    },
  }
}
