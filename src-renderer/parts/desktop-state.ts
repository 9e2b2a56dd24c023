// What the desktop app tells of its state, as hooks.

import { useSyncExternalStore } from 'react'
import { desktop } from '../desktop.ts'

/** The hook returns null until the state is known, and in a browser, which has no `get`. */
const createDesktopState = <State>(
  get: (() => Promise<State>) | undefined,
  onChange: ((listener: (state: State) => void) => unknown) | undefined,
): (() => State | null) => {
  let state: State | null = null
  const listeners = new Set<() => void>()
  const become = (next: State) => {
    state = next
    for (const listener of listeners) listener()
  }
  onChange?.(become)
  void get?.().then((first) => {
    // A state reported in the meantime is newer.
    if (state === null) become(first)
  })
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return () => useSyncExternalStore(subscribe, () => state)
}

export const useDesktopRuntime = createDesktopState(desktop?.runtime.state, desktop?.runtime.onState)
export const useUpdates = createDesktopState(desktop?.updates.get, desktop?.updates.onChange)
