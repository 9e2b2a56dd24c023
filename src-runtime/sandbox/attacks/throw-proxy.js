// What it throws fights back when looked at.
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
