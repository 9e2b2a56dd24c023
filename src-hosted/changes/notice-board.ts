// Tells other processes in batches what was committed here, and receives what they committed. These are hints, which may be
// lost: receivers also read the store at intervals.

import type { OutcomeRecord } from '../../src-runtime/ports/executions.ts'
import { pause } from '../../src-runtime/shared/pause.ts'
import type { Notices } from '../store/store.ts'

export type NoticeBoard = {
  /** An Execution changed; `isEnd` when it has ended, with its outcome where that is known. */
  publish(key: number, isEnd: boolean, outcome?: OutcomeRecord): void
  /** May be called twice. */
  stop(): Promise<void>
}

const CHANGED = 'c'
/** No more than PostgreSQL takes at once. */
const MOST_PER_BATCH = 200
/** Between two messages. Each costs as much as a small commit. */
const PAUSE_MS = 5

export const openNoticeBoard = (deps: {
  readonly notices: Notices
  /** Also of what this process publishes. */
  readonly onEnded: (key: number, outcome?: OutcomeRecord) => void
  readonly onChanged: () => void
  /** Some may have been missed. */
  readonly onGap: () => void
}): NoticeBoard => {
  const { notices, onEnded, onChanged, onGap } = deps
  let ended: string[] = []
  let hasChanged = false
  let isSending = false
  const stopping = new AbortController()

  const send = async (): Promise<void> => {
    isSending = true
    while (ended.length > 0 || hasChanged) {
      const batch = ended.splice(0, MOST_PER_BATCH)
      hasChanged = false
      await notices.send([CHANGED, ...batch])
      // Changes that come meanwhile are sent together.
      await pause(PAUSE_MS, stopping.signal)
    }
    isSending = false
  }

  const hear = (notice: string): void => {
    if (notice === CHANGED) return onChanged()
    const key = Number.parseInt(notice, 36)
    if (Number.isSafeInteger(key)) onEnded(key)
  }
  const listening = notices.listen(hear, onGap)

  return {
    publish: (key, isEnd, outcome) => {
      if (isEnd) {
        onEnded(key, outcome)
        ended.push(key.toString(36))
      }
      hasChanged = true
      onChanged()
      if (!isSending && !stopping.signal.aborted) void send()
    },
    stop: () => {
      ended = []
      hasChanged = false
      stopping.abort()
      return listening.stop()
    },
  }
}
