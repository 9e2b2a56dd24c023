// #region program
import { defineProgram } from 'workflow-execution-service'
import { z } from 'zod'
import { readSales, sendReport } from './nightly-report.effects.ts'

const SHOPS = 200

export default defineProgram(
  {
    id: 'nightly-report',
    description: 'Collects from 200 shops, night after night',
    input: z
      .object({ nights: z.number().int().positive(), everyMs: z.number().int().positive().optional() })
      // What the dashboard proposes: a night of a second.
      .meta({ examples: [{ nights: 1, everyMs: 1000 }] }),
  },
  async (ctx, { nights, everyMs = 24 * 60 * 60 * 1000 }) => {
    const totals: number[] = []
    for (let night = 1; night <= nights; night += 1) {
      await ctx.sleep(everyMs)
      const shops = Array.from({ length: SHOPS }, (_, at) => at + 1)
      const sales = await Promise.all(shops.map((shop) => readSales({ shop, night })))
      const totalCents = sales.reduce((sum, { cents }) => sum + cents, 0)
      await sendReport({ night, totalCents })
      totals.push(totalCents)
    }
    return { totals }
  },
)
// #endregion program
