// Sets many timers at once and waits for all of them. Each is durable: those that became due while the runtime was
// stopped fire when it is started again.

const remind = async (ctx, number, intervalMs) => {
  await ctx.sleep(number * intervalMs)
  ctx.log.info(`reminder ${number}`)
  return new Date().toISOString() // the Program's clock: the moment at which the timer was delivered
}

const run = async (ctx, input) => {
  const numbers = Array.from({ length: input.count }, (_, index) => index + 1)
  const sentAt = await Promise.all(numbers.map((number) => remind(ctx, number, input.intervalMs)))
  return { sent: sentAt.length, firstAt: sentAt.at(0), lastAt: sentAt.at(-1) }
}

;({ run })
