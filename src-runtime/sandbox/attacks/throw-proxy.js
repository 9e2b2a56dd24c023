// Throws a Proxy whose traps throw.
;({
  run: async (ctx) => {
    await ctx.effect('first')
    throw new Proxy(
      {},
      {
        get() {
          throw {
            get message() {
              throw 1
            },
          }
        },
      },
    )
  },
})
