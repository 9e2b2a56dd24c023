// #region program
import { defineProgram, EffectError } from 'workflow-execution-service'
import { charge, warnAccounting } from './payment.effects.ts'

export default defineProgram({ id: 'payment' }, async (ctx, input: { orderId: string; cents: number }) => {
  try {
    return await charge(input)
  } catch (error) {
    if (!(error instanceof EffectError)) throw error
    // All attempts failed, or one said that there is no point in another.
    ctx.log.warn('not paid', error.message, error.cause)
    await ctx.effect(warnAccounting, { orderId: input.orderId, because: error.message }, { retry: { maxAttempts: 3 } })
    return { receipt: null }
  }
})
// #endregion program
