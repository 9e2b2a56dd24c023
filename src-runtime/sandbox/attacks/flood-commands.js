// Calls effects until it is stopped.
;({
  run: async (ctx) => {
    for (let i = 0; i < 1e8; i++) ctx.effect('x', 'payload-payload-payload' + i)
  },
})
