// Takes up what was unfinished when the last process ended.

import type { ExecutionStore } from '../store/store.ts'

const PAGE = 1_000

export const recover = (deps: {
  readonly executions: Pick<ExecutionStore, 'unfinished' | 'head'>
  readonly onCleaningUp: (key: number) => void
  readonly onUnfinished: (key: number) => void
}): void => {
  const { executions, onCleaningUp, onUnfinished } = deps
  let afterKey = 0
  for (;;) {
    const keys = executions.unfinished(afterKey, PAGE)
    for (const key of keys) {
      if (executions.head(key)?.cancelDelivered === true) onCleaningUp(key)
      onUnfinished(key)
    }
    if (keys.length < PAGE) return
    afterKey = keys.at(-1)!
  }
}
