// Logs for ever, with values that are expensive to format.
;({
  run: async (ctx) => {
    const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => ['key' + i, { i }]))
    for (let i = 0; i < 20000; i++) console.log(wide, wide, wide)
    await ctx.waitForEvent('never')
  },
})
