// #region test
import { expect, it } from 'vitest'
import { createTestExecution, fake } from 'workflow-execution-service/testing'
import { chargeCard } from './order-approval.effects.ts'
import orderApproval, { approved } from './order-approval.ts'

it('charges an approved order', async () => {
  const effects = [fake(chargeCard, ({ orderId }) => ({ receipt: `r-${orderId}` }))]
  const run = createTestExecution(orderApproval, { orderId: 'o-1', cents: 4200 }, { effects })
  await run.advance('2 days')
  await run.send(approved, { by: 'Grace' })
  expect(await run.result()).toEqual({ by: 'Grace', receipt: 'r-o-1' })
})
// #endregion test
