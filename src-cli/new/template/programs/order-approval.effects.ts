// Effects touch the world: any Node API, any npm package. Each exported function is one. They run at least once, and
// what they answer is kept.

import { defineEffect, NonRetryableError } from 'workflow-execution-service'

export const chargeCard = defineEffect(
  { retry: { maxAttempts: 5, initialInterval: '1s' }, timeout: '10s' },
  async (input: { orderId: string; cents: number }, { idempotencyKey, log }) => {
    if (input.cents <= 0) throw new NonRetryableError(`${input.cents} cents cannot be charged`)
    // A real provider would get the idempotencyKey, so that no attempt charges twice.
    log.info(`${process.env['PAYMENT_PROVIDER'] ?? 'nobody'} charges ${input.cents} cents as ${idempotencyKey}`)
    return { receipt: `receipt-${input.orderId}` }
  },
)
