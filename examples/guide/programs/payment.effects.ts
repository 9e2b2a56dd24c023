// #region effects
import { defineEffect, NonRetryableError } from 'workflow-execution-service'

export const charge = defineEffect(
  {
    // 6 attempts, with pauses of 1, 3, 9, 27 and 30 s.
    retry: { maxAttempts: 6, initialInterval: '1s', backoffCoefficient: 3, maxInterval: '30s' },
    timeout: '20s',
  },
  async (input: { orderId: string; cents: number }, { idempotencyKey, signal }) => {
    const answer = await fetch('https://payments.example/charges', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      body: JSON.stringify(input),
      signal,
    })
    if (answer.status === 402) throw new NonRetryableError('the card was declined')
    if (!answer.ok) throw new Error(`the payment provider answered ${answer.status}`)
    return (await answer.json()) as { receipt: string }
  },
)

/** No options: 10 attempts, the pauses doubling from half a second, at most a minute; 5 minutes for each. */
export async function warnAccounting(input: { orderId: string; because: string }): Promise<void> {
  console.error(`order ${input.orderId} was not paid: ${input.because}`)
}
// #endregion effects
