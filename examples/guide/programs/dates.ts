// #region program
import { defineProgram } from 'workflow-execution-service'

export default defineProgram({ id: 'dates' }, async (ctx) => {
  const begunAt = new Date() // the Execution's clock: the same on replay
  const ticket = crypto.randomUUID() // the Execution's own random numbers: the same on replay, so not for secrets
  await ctx.sleep('1 day')
  const tookMs = Date.now() - begunAt.getTime() // a day, and never less
  return { ticket, tookMs }
})
// #endregion program
