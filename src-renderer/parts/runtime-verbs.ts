import type { RuntimeState } from '../desktop.ts'

export type RuntimeVerb = 'start' | 'stop' | 'restart'

/**
 * The actions on the desktop's runtime in its present state. A runtime that the app did not start cannot be stopped
 * here.
 */
export const runtimeVerbs = (state: RuntimeState): readonly RuntimeVerb[] => {
  switch (state.kind) {
    case 'stopped':
    case 'foreign':
      return ['start']
    case 'starting':
    case 'stopping':
      return []
    case 'ready':
      return state.owned ? ['stop', 'restart'] : []
    case 'crashed':
      return ['restart']
  }
}
