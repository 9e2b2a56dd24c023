// Reads new committed changes for all streams of this process, while there are any.

import type { Logger } from 'pino'
import type { ChangeMark, ChangeStore, StoredChange } from '../store/store.ts'

export type ChangeTail = {
  /** Calls back with committed changes, in order, until the returned function is called. */
  follow(follower: Follower): () => void
  /** The mark up to which changes were passed on, or are being passed on now. */
  mark(): Promise<ChangeMark>
  /** Reads now, because there may be new changes. */
  look(): void
  /** May be called twice. */
  stop(): void
}

export type Follower = {
  /** The next changes follow once its promise has settled. */
  onChanges(changes: readonly StoredChange[]): Promise<void>
  /** Some changes were not passed on. */
  onGap(): void
}

const LOOK_EVERY_MS = 1_000
/** After a hint, others are likely to follow. */
const PAUSE_MS = 10
/** A change is readable once every transaction that began before it has ended. */
const SETTLE_MS = 50
const PAGE = 1_000

export const createChangeTail = (deps: {
  readonly store: ChangeStore
  readonly log: Logger
  readonly lookEveryMs?: number
}): ChangeTail => {
  const { store, log, lookEveryMs = LOOK_EVERY_MS } = deps
  const followers = new Set<Follower>()
  let mark: ChangeMark | undefined
  const onMark: ((mark: ChangeMark) => void)[] = []
  let timer: NodeJS.Timeout | undefined
  let dueAt = Infinity
  let isReading = false
  let isStopped = false
  /** Reads that remain soon after a hint, because its change may not be readable yet. */
  let soon = 0

  const moveTo = (to: ChangeMark): ChangeMark => {
    mark = to
    for (const listener of onMark.splice(0)) listener(to)
    return to
  }

  const read = async (): Promise<void> => {
    let from = mark ?? moveTo(await store.latest())
    for (;;) {
      const page = await store.after(from, PAGE)
      if (page.kind === 'gone') {
        moveTo(await store.latest())
        for (const follower of followers) follower.onGap()
        return
      }
      // Also if the mark was reset meanwhile: those who began to follow since wait for a mark.
      from = moveTo(page.mark)
      if (page.items.length > 0) await Promise.all([...followers].map((follower) => follower.onChanges(page.items)))
      if (!page.isMore) return
    }
  }

  const run = async (): Promise<void> => {
    timer = undefined
    dueAt = Infinity
    isReading = true
    try {
      await read()
    } catch (error) {
      log.debug({ err: error }, 'changes cannot be read now')
    }
    isReading = false
    if (soon > 0) {
      soon -= 1
      schedule(SETTLE_MS)
    } else schedule(lookEveryMs)
  }

  const schedule = (inMs: number): void => {
    if (isStopped || isReading || followers.size === 0) return
    const at = performance.now() + inMs
    if (at >= dueAt) return
    clearTimeout(timer)
    dueAt = at
    timer = setTimeout(() => void run(), inMs)
  }

  return {
    mark: () => (mark === undefined ? new Promise((resolve) => onMark.push(resolve)) : Promise.resolve(mark)),
    follow: (follower) => {
      if (followers.size === 0) mark = undefined
      followers.add(follower)
      schedule(0)
      return () => {
        followers.delete(follower)
      }
    },
    look: () => {
      soon = 2
      schedule(PAUSE_MS)
    },
    stop: () => {
      isStopped = true
      clearTimeout(timer)
      followers.clear()
    },
  }
}
