// #region program
import { CancelledError, defineEvent, defineProgram, EffectError } from 'workflow-execution-service'
import { z } from 'zod'
import { book, takeBack } from './trip-saga.effects.ts'

export const confirmed = defineEvent('confirmed')

export default defineProgram(
  {
    id: 'trip-saga',
    description: 'Books a trip, or nothing at all',
    input: z.object({ trip: z.string() }),
    events: [confirmed],
  },
  async (ctx, { trip }) => {
    const begun: ('train' | 'hotel' | 'tour')[] = []
    try {
      for (const what of ['train', 'hotel', 'tour'] as const) {
        // Recorded first: after a crash nobody can tell whether an interrupted booking went through.
        begun.push(what)
        await book({ trip, what })
      }
      await ctx.waitForEvent(confirmed)
      return { status: 'booked' } as const
    } catch (error) {
      const isExpected = error instanceof EffectError || error instanceof CancelledError
      if (!isExpected) throw error
      // In reverse order. A cancelled Execution has half a minute for this.
      for (const what of begun.toReversed()) await takeBack({ trip, what })
      return { status: 'taken-back', because: error.message } as const
    }
  },
)
// #endregion program
