// Effects may use any Node API and any npm package. Each exported function is an effect. It runs at least once, and its
// result is stored.

import { defineEffect, NonRetryableError } from 'workflow-execution-service'

export const chargeCard = defineEffect(
  { retry: { maxAttempts: 5, initialInterval: '1s' }, timeout: '10s' },
  async (input: { orderId: string; cents: number }, { idempotencyKey, log }) => {
    if (input.cents <= 0) throw new NonRetryableError(`${input.cents} cents cannot be charged`)
    // Pass the idempotencyKey to a real provider, so that a second attempt does not charge again.
    log.info(`${process.env['PAYMENT_PROVIDER'] ?? 'nobody'} charges ${input.cents} cents as ${idempotencyKey}`)
    return { receipt: `receipt-${input.orderId}` }
  },
)
