// Passes hints about commits, of this process and others, to held answers and streams of changes.

import type { Logger } from 'pino'
import type { Changes } from '../../src-runtime/ports/changes.ts'
import type { HostedStore } from '../store/store.ts'
import { createChangeTail } from './change-tail.ts'
import { createChangeStreams } from './hosted-changes.ts'
import { openNoticeBoard, type NoticeBoard } from './notice-board.ts'
import { createWaiters, type Waiters } from './waiters.ts'

export type Following = {
  readonly changesOf: (workspaceId: string) => Changes
  readonly onCommitted: NoticeBoard['publish']
  /** Answers what is held, and ends all streams. May be called twice. */
  endHeld(): void
  /** May be called twice. */
  stop(): Promise<void>
}

/** `isAlone`: no other process works on this database, so no hints are sent; each costs as much as a small commit. */
export const startFollowing = (
  store: Pick<HostedStore, 'engine' | 'changes' | 'notices'>,
  isAlone: boolean,
  log: Logger,
): Following => {
  const waiters = createWaiters({ store: store.engine, log })
  const tail = createChangeTail({ store: store.changes, log })
  const streams = createChangeStreams({ store: store.changes, tail, waiters })
  const board = isAlone
    ? boardOfOne(waiters.ended, tail.look)
    : openNoticeBoard({
        notices: store.notices,
        onEnded: waiters.ended,
        onChanged: tail.look,
        onGap: () => {
          waiters.look()
          tail.look()
        },
      })
  const endHeld = (): void => {
    streams.close()
    waiters.stop()
  }
  return {
    changesOf: streams.changesOf,
    onCommitted: board.publish,
    endHeld,
    stop: async () => {
      endHeld()
      tail.stop()
      await board.stop()
    },
  }
}

const boardOfOne = (onEnded: Waiters['ended'], onChanged: () => void): NoticeBoard => ({
  publish: (key, isEnd, outcome) => {
    if (isEnd) onEnded(key, outcome)
    onChanged()
  },
  stop: () => Promise.resolve(),
})
