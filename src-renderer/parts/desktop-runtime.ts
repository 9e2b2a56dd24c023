// The state of the desktop app's runtime; null in a browser.

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
  // A state reported in the meantime is newer.
  if (state === null) become(first)
})

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

export const useDesktopRuntime = (): RuntimeState | null => useSyncExternalStore(subscribe, () => state)
