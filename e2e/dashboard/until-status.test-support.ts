import type { Execution, ExecutionStatus } from '../../src-sdk/contract-types.ts'
import type { ServiceClient } from '../../src-sdk/create-client.ts'
import { expect } from './fixtures.ts'

export const untilStatus = async (client: ServiceClient, id: string, status: ExecutionStatus): Promise<Execution> => {
  await expect.poll(async () => (await client.getExecution(id)).status, { intervals: [20] }).toBe(status)
  return client.getExecution(id)
}
