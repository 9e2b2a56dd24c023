// Stores that attempts begin before a host is told of them, so that an attempt that brings the worker down at once is counted.

import type { SpawnEffectHost } from '../../src-runtime/effects/spawn-effect-host.ts'
import { within } from '../../src-runtime/shared/within.ts'

export type BeginNotes = {
  /** Messages that follow wait until this has settled; absent: nothing to wait for. */
  add(stored: Promise<void> | undefined): void
  /** Hosts whose messages wait for what was added before them. */
  before(spawn: SpawnEffectHost): SpawnEffectHost
}

/** Messages wait no longer for one note: the database may be away, and attempts have deadlines. */
const LONGEST_WAIT_MS = 1_000

export const createBeginNotes = (): BeginNotes => {
  /** Settles with the last one of all notes. So messages stay in their order. */
  let storing: Promise<unknown> | undefined
  return {
    add: (stored) => {
      if (stored === undefined) return
      // One that was not stored belongs to an attempt that was cancelled.
      const one = within(LONGEST_WAIT_MS, stored).catch(() => undefined)
      const all = Promise.all([storing, one]).then(() => {
        if (storing === all) storing = undefined
      })
      storing = all
    },
    before: (spawn) => (options, events) => {
      const host = spawn(options, events)
      return {
        get pid() {
          return host.pid
        },
        send: (batch) => {
          if (storing === undefined) host.send(batch)
          else void storing.then(() => host.send(batch))
        },
        kill: host.kill,
      }
    },
  }
}
