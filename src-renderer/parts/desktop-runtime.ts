// What the desktop app says of its runtime. In a browser there is nothing to say: null.

import { useSyncExternalStore } from 'react'
import { desktop, type RuntimeState } from '../desktop.ts'

let state: RuntimeState | null = null
const listeners = new Set<() => void>()

const become = (next: RuntimeState) => {
  state = next
  for (const listener of listeners) listener()
}

desktop?.runtime.onState(become)
void desktop?.runtime.state().then((first) => {
  // A state that was told meanwhile is newer.
  if (state === null) become(first)
})

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useDesktopRuntime = (): RuntimeState | null => useSyncExternalStore(subscribe, () => state)
