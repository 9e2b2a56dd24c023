// Tries to catch the interruption with every kind of handler.
;({
  run: async (ctx) => {
    const spin = async () => {
      try {
        for (;;);
      } catch {
        ctx.effect('caught')
      } finally {
        ctx.effect('finally')
        for (;;);
      }
    }
    for (;;) {
      try {
        await spin()
      } catch {
        ctx.effect('outside')
      }
    }
  },
})
