// Defines accessors on indexes, which even the engine's native functions call. Only the Program itself may be affected.
;({
  run: async (ctx) => {
    const evil = () => {
      throw new Error('patched')
    }
    for (const key of ['0', '1', 'length']) Object.defineProperty(Object.prototype, key, { set: evil, get: evil })
    Object.defineProperty(Array.prototype, '0', { set: evil, get: evil })
    const rejected = await ctx.effect('first', { a: [1, 'x'] }).catch((error) => error)
    console.log('logged', [1], rejected)
    await ctx.sleep(1)
    return 'alive'
  },
})
