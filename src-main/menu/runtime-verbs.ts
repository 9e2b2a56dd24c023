// The runtime's actions in the menu and the tray.

import type { RuntimeState } from '../preload/desktop-api.ts'

export type RuntimeVerb = 'start' | 'stop' | 'restart'

export const RUNTIME_VERBS: readonly {
  readonly verb: RuntimeVerb
  readonly label: string
  readonly accelerator: string
}[] = [
  { verb: 'start', label: 'Start Runtime', accelerator: 'CmdOrCtrl+Alt+S' },
  { verb: 'stop', label: 'Stop Runtime', accelerator: 'CmdOrCtrl+Alt+X' },
  { verb: 'restart', label: 'Restart Runtime', accelerator: 'CmdOrCtrl+Alt+R' },
]

export const verbIsPossible = (verb: RuntimeVerb, state: RuntimeState): boolean => {
  switch (state.kind) {
    case 'stopped':
      return verb === 'start'
    // An upgrade may take minutes.
    case 'starting':
      return verb === 'stop' && state.upgrade !== undefined
    case 'stopping':
      return false
    case 'ready':
      return verb !== 'start' && state.owned
    case 'crashed':
      return verb === 'restart' || (verb === 'stop' && state.restartsAt !== null)
    // It starts by itself once the port is free.
    case 'foreign':
      return verb !== 'restart'
  }
}

export const describeState = (state: RuntimeState, diskIsFull: boolean): string => {
  switch (state.kind) {
    case 'stopped':
      return 'Runtime stopped'
    case 'starting':
      return state.upgrade === undefined ? 'Runtime starting…' : 'Upgrading your data…'
    case 'ready':
      if (diskIsFull) return 'Disk full: nothing can be stored'
      return state.owned ? `Runtime ready on port ${state.port}` : `Using the runtime on port ${state.port}`
    case 'stopping':
      return 'Runtime stopping…'
    case 'crashed':
      return state.restartsAt === null ? 'Runtime failed' : 'Runtime failed, restarting…'
    case 'foreign':
      return state.isReserved ? `Port ${state.port} cannot be used` : `Port ${state.port} is taken`
  }
}
