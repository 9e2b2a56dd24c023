// #region effects
import { defineEffect, NonRetryableError } from 'workflow-execution-service'

/** Charges a card. The provider is busy twice before it answers. */
export const chargeCard = defineEffect(
  { retry: { maxAttempts: 5, initialInterval: '100ms' }, timeout: '10s' },
  async (input: { orderId: string; cents: number }, { attempt, idempotencyKey, log }) => {
    if (input.cents <= 0) throw new NonRetryableError(`${input.cents} cents cannot be charged`)
    if (attempt <= 2) throw new Error('the payment provider is busy')
    log.info(`charged ${input.cents} cents with ${process.env['PAYMENT_PROVIDER'] ?? 'no provider'}`)
    return { receipt: `receipt-${input.orderId}`, chargedOnceAs: idempotencyKey }
  },
)

/** Any exported function is an effect. */
export async function tellCustomer(input: { orderId: string; message: string }): Promise<void> {
  console.log(`to the customer of ${input.orderId}: ${input.message}`)
}
// #endregion effects
