// #region program
import { defineEvent, defineProgram, TimeoutError } from 'workflow-execution-service'
import { z } from 'zod'
import { chargeCard, tellCustomer } from './order-approval.effects.ts'

export const approved = defineEvent('approved', z.object({ by: z.string() }))

export default defineProgram(
  {
    id: 'order-approval',
    description: 'Waits for an approval, then charges the card',
    input: z.object({ orderId: z.string(), cents: z.number().int() }),
    events: [approved],
    label: ({ orderId, cents }) => `${orderId}: ${(cents / 100).toFixed(2)} €`,
  },
  async (ctx, { orderId, cents }) => {
    try {
      const { by } = await ctx.waitForEvent(approved, { timeout: '3 days' })
      const { receipt } = await chargeCard({ orderId, cents })
      await tellCustomer({ orderId, message: `approved by ${by}` })
      return { status: 'charged', by, receipt } as const
    } catch (error) {
      if (!(error instanceof TimeoutError)) throw error
      await tellCustomer({ orderId, message: 'nobody approved it' })
      return { status: 'expired' } as const
    }
  },
)
// #endregion program
