// An effect's input of 30 MB.
;({
  run: async (ctx) => ctx.effect('x', 'z'.repeat(3e7)).catch((error) => [error.name, error.code]),
})
