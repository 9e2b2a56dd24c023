// Books step by step, then waits for the delivery. When it is cancelled, it takes back what it had booked, the last step
// first, and only then ends. The pauses stand for the calls that a real Program makes.

const STEPS = ['payment', 'stock', 'courier']

const book = async (ctx, booked, pause) => {
  for (const step of STEPS) {
    await ctx.sleep(pause)
    ctx.log.info(`booked ${step}`)
    booked.push(step)
  }
}

const takeBack = async (ctx, booked, pause) => {
  for (const step of booked.toReversed()) {
    await ctx.sleep(pause)
    ctx.log.warn(`took back ${step}`)
  }
}

const run = async (ctx, input) => {
  const pause = input.pauseMs ?? 50
  const booked = []
  try {
    await book(ctx, booked, pause)
    const delivery = await ctx.waitForEvent('delivered')
    return { orderId: input.orderId, deliveredTo: delivery.to }
  } catch (error) {
    if (error.name !== 'CancelledError') throw error
    ctx.log.info('cancelled')
    await takeBack(ctx, booked, pause) // awaits work as before, for up to 30 seconds
    return { orderId: input.orderId, tookBack: booked.length }
  }
}

;({ run })
