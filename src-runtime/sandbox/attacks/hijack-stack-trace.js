// Wants to be called whenever an error is made, inside the runtime too.
;({
  run: async (ctx) => {
    let called = 0
    try {
      Error.prepareStackTrace = () => {
        called++
        throw new Error('hooked')
      }
    } catch {}
    try {
      Object.defineProperty(Error, 'prepareStackTrace', { value: () => called++ })
    } catch {}
    const error = await ctx.effect('fails').catch((caught) => caught)
    return [error.name, called]
  },
})
