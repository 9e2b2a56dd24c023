// Passes an input of 30 MB to an effect.
;({
  run: async (ctx) => ctx.effect('x', 'z'.repeat(3e7)).catch((error) => [error.name, error.code]),
})
