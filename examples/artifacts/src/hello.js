// The smallest Program: it takes an input, says something, and returns a result.

const run = async (ctx, input) => {
  ctx.log.info(`greeting ${input.name}`)
  return { greeting: `Hello, ${input.name}!`, from: ctx.executionId }
}

;({ run })
