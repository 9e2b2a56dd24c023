// Whether the disk was full at the last write. While it was, a small write is tried once a second, so that this ends once there
// is room, even if nobody else writes.

import { DiskFullError, type StoreUnavailableError } from '../shared/store-errors.ts'

export type DiskRoom = {
  isFull(): boolean
  /** A transaction was committed, or failed. */
  tried(failed?: StoreUnavailableError): void
  close(): void
}

const AGAIN_MS = 1_000

export const createDiskRoom = (options: {
  readonly write: () => Promise<unknown>
  readonly onChange: (isFull: boolean) => void
}): DiskRoom => {
  let isFull = false
  let again: ReturnType<typeof setTimeout> | undefined
  let closed = false

  const writeLater = (): void => {
    if (closed || again !== undefined) return
    again = setTimeout(() => {
      again = undefined
      options.write().catch(() => {}) // `tried` hears of it
    }, AGAIN_MS).unref()
  }
  return {
    isFull: () => isFull,
    tried: (failed) => {
      // Another fault says nothing about the room.
      const next = failed === undefined ? false : isFull || failed instanceof DiskFullError
      if (next) writeLater()
      if (next === isFull) return
      isFull = next
      options.onChange(isFull)
    },
    close: () => {
      closed = true
      clearTimeout(again)
    },
  }
}
