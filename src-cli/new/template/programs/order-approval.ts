// A Program decides what happens and in which order. It is replayed from its history, so side effects belong in its
// effects.

import { defineEvent, defineProgram, TimeoutError } from 'workflow-execution-service'
import { z } from 'zod'
import { chargeCard } from './order-approval.effects.ts'

export const approved = defineEvent('approved', z.object({ by: z.string() }))

export default defineProgram(
  {
    id: 'order-approval',
    description: 'Waits for an approval, then charges the card',
    input: z.object({ orderId: z.string(), cents: z.number().int() }),
    events: [approved],
  },
  async (ctx, { orderId, cents }) => {
    try {
      const { by } = await ctx.waitForEvent(approved, { timeout: '3 days' })
      const { receipt } = await chargeCard({ orderId, cents })
      return { status: 'charged', by, receipt } as const
    } catch (error) {
      if (error instanceof TimeoutError) return { status: 'expired' } as const
      throw error
    }
  },
)
