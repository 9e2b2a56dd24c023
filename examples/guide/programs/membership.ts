// #region program
import { defineProgram } from 'workflow-execution-service'
import { renew, startNextYear } from './membership.effects.ts'

type Membership = { member: string; year: number }

export default defineProgram(
  { id: 'membership', label: ({ member, year }: Membership) => `${member} ${year}` },
  async (ctx, { member, year }: Membership) => {
    await renew({ member, year })
    await ctx.sleep('365 days')
    return startNextYear({ member, year: year + 1 })
  },
)
// #endregion program
