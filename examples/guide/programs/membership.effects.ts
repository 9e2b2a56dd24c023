// #region effects
import { createClient, defineEffect } from 'workflow-execution-service'

const client = createClient() // under `wes dev` and in the desktop app: the runtime that runs this effect

export async function renew(membership: { member: string; year: number }): Promise<void> {
  console.log(`${membership.member} is a member in ${membership.year}`)
}

// The same key in all attempts: they start one Execution.
export const startNextYear = defineEffect(
  {},
  async (membership: { member: string; year: number }, { idempotencyKey }) => {
    const { id } = await client.start('membership', membership, { idempotencyKey })
    return { nextId: id }
  },
)
// #endregion effects
