// Tries to run code whenever an error is created, also inside the runtime.
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
