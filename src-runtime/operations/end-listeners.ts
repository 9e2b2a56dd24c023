// Who waits for the end of which Execution.

import type { OutcomeRecord } from '../ports/executions.ts'
import { createTransientMap } from '../shared/transient-map.ts'

/** With what the Execution has led to, if whoever tells of its end knows it. */
export type EndListener = (outcome?: OutcomeRecord) => void

export type EndListeners = {
  /** Calls back once, when the Execution ends or nothing is heard any more; not after the function it returns was called. */
  add(key: number, listener: EndListener): () => void
  ended(key: number, outcome?: OutcomeRecord): void
  /** The Executions whose end callers wait for. */
  keys(): readonly number[]
  /** Ends all waiting, and further waiting at once. May be called twice. */
  close(): void
}

export const createEndListeners = (): EndListeners => {
  const waiting = createTransientMap<number, Set<EndListener>>()
  let isClosed = false

  const ended: EndListeners['ended'] = (key, outcome) => {
    const released = waiting.get(key)
    if (released === undefined) return
    waiting.delete(key)
    for (const listener of released) listener(outcome)
  }

  return {
    add: (key, listener) => {
      if (isClosed) {
        listener()
        return () => {}
      }
      const others = waiting.get(key) ?? new Set()
      waiting.set(key, others.add(listener))
      return () => {
        others.delete(listener)
        if (others.size === 0 && waiting.get(key) === others) waiting.delete(key)
      }
    },
    ended,
    keys: () => [...waiting.keys()],
    close: () => {
      isClosed = true
      for (const key of [...waiting.keys()]) ended(key)
    },
  }
}
