// #region program
// programs/order-approval.ts
import { defineEvent, defineProgram } from 'workflow-execution-service'
import { z } from 'zod'
import { chargeCard } from './order-approval.effects.ts' // an exported function of a *.effects.ts module is an effect

export const approved = defineEvent('approved', z.object({ by: z.string() }))

export default defineProgram(
  { id: 'order-approval', input: z.object({ orderId: z.string(), cents: z.number() }), events: [approved] },
  async (ctx, { orderId, cents }) => {
    const { by } = await ctx.waitForEvent(approved, { timeout: '3 days' })
    const { receipt } = await chargeCard({ orderId, cents })
    return { by, receipt }
  },
)
// #endregion program
