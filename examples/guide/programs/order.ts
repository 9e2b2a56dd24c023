// programs/order.ts
import { defineEvent, defineProgram } from 'workflow-execution-service'
import { chargeCard } from './order.effects.ts'

type Order = { orderId: string; cents: number }

export const approved = defineEvent<{ by: string }>('approved')
export default defineProgram({ id: 'order', events: [approved] }, async (ctx, order: Order) => {
  const { by } = await ctx.waitForEvent(approved, { timeout: '3 days' })
  const { receipt } = await chargeCard(order)
  return { receipt, by }
})
