// Asks for an approval and waits for the answer: for three days, unless the input says otherwise. While it waits it
// costs nothing but a row, and it goes on waiting when the runtime is restarted.

const run = async (ctx, input) => {
  ctx.log.info(`${input.requester} asks for ${input.cents} cents`)
  try {
    const decision = await ctx.waitForEvent('approved', { timeout: input.timeout ?? '3 days' })
    ctx.log.info(`approved by ${decision.by}`)
    return { approved: true, by: decision.by }
  } catch (error) {
    if (error.name !== 'TimeoutError') throw error
    ctx.log.warn('nobody answered in time')
    return { approved: false, reason: 'timeout' }
  }
}

;({ run })
