// #region program
import { defineEvent, defineProgram, TimeoutError } from 'workflow-execution-service'
import { z } from 'zod'

export const scanned = defineEvent('scanned', z.object({ at: z.string(), isDelivered: z.boolean() }))
export const returned = defineEvent<{ reason: string }>('returned')

export default defineProgram(
  { id: 'parcel', input: z.object({ sendAt: z.string() }), events: [scanned, returned] },
  async (ctx, { sendAt }) => {
    await ctx.sleepUntil(sendAt)
    const stations: string[] = []
    const comesBack = ctx.waitForEvent(returned).then(({ reason }) => ({ kind: 'returned', reason }) as const)
    try {
      for (;;) {
        // Each wait takes one event. Those that came earlier, or while something else was waited for, are not lost.
        const next = ctx.waitForEvent(scanned, { timeout: '7 days' })
        const first = await Promise.race([next.then((scan) => ({ kind: 'scanned', scan }) as const), comesBack])
        if (first.kind === 'returned') return { status: 'returned', because: first.reason, stations } as const
        stations.push(first.scan.at)
        if (first.scan.isDelivered) return { status: 'delivered', stations } as const
      }
    } catch (error) {
      if (error instanceof TimeoutError) return { status: 'lost', stations } as const
      throw error
    }
  },
)
// #endregion program
