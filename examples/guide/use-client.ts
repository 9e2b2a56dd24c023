// #region client
import { createClient } from 'workflow-execution-service'
import orderApproval, { approved } from '../project/programs/order-approval.ts'

export const approveOrder = async (orderId: string, cents: number) => {
  const client = createClient() // the local runtime; a hosted service when SERVICE_TOKEN is set
  const execution = await client.start(orderApproval, { orderId, cents }, { idempotencyKey: `order-${orderId}` })
  await execution.send(approved, { by: 'Grace' })
  return execution.result()
}
// #endregion client
