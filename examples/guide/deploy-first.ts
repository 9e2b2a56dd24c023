import { createClient, ServiceRuntimeError } from 'workflow-execution-service'

declare const deployFirst: () => Promise<void>

const client = createClient()
const orderId = 'o-1'

// #region client
try {
  await client.start('refund', { orderId }, { idempotencyKey: `refund-${orderId}` })
} catch (error) {
  if (!(error instanceof ServiceRuntimeError && error.code === 'program_not_found')) throw error
  await deployFirst()
}
// #endregion client
