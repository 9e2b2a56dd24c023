import type { RuntimeState } from '../desktop.ts'

export type RuntimeVerb = 'start' | 'stop' | 'restart'

/** What may be done to the desktop's runtime as it is now. What somebody else started is theirs. */
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
