// The terminal colours, and the colour of each status.

import type { ExecutionStatus } from '../src-sdk/contract-types.ts'

export type Colour = 'red' | 'green' | 'amber' | 'blue' | 'dim'

const codes: Readonly<Record<Colour, number>> = { red: 31, green: 32, amber: 33, blue: 34, dim: 2 }

export const paint = (text: string, colour: Colour): string => `\u001b[${codes[colour]}m${text}\u001b[0m`

export const statusColour = (status: ExecutionStatus): Colour => {
  switch (status) {
    case 'queued':
    case 'running':
      return 'blue'
    case 'waiting':
    case 'cancelling':
      return 'amber'
    case 'completed':
      return 'green'
    case 'failed':
      return 'red'
    case 'cancelled':
      return 'dim'
  }
}
