// The actions on the desktop's runtime, for the rail and the palette.

import type { RuntimeState } from '../desktop.ts'

export type RuntimeVerb = 'start' | 'stop' | 'restart'

/** Those in its present state, the likeliest first. A runtime that the app did not start cannot be stopped here. */
export const runtimeVerbs = (state: RuntimeState): readonly RuntimeVerb[] => {
  switch (state.kind) {
    case 'stopped':
      return ['start']
    case 'starting':
      return state.upgrade === undefined ? [] : ['stop']
    case 'stopping':
      return []
    case 'ready':
      return state.owned ? ['stop', 'restart'] : []
    case 'crashed':
      return state.restartsAt === null ? ['restart'] : ['restart', 'stop']
    // It starts by itself once the port is free.
    case 'foreign':
      return ['start', 'stop']
  }
}
