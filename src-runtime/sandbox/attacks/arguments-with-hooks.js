// Passes arguments that run code when they are read.
;({
  run: async (ctx) => {
    const heard = []
    const hooked = new Proxy(
      {},
      {
        get: (_, key, receiver) => {
          heard.push([String(key), typeof receiver])
          return undefined
        },
        ownKeys: () => [],
      },
    )
    ctx.effect('thenable', {
      then(resolve) {
        heard.push('then')
        resolve?.(1)
      },
    })
    ctx.effect('proxy', hooked)
    ctx.effect(
      {
        get name() {
          ctx.sleep(1)
          return 'nested'
        },
      },
      {
        toJSON() {
          ctx.sleep(2)
          return 'json'
        },
      },
    )
    console.log({
      [Symbol.for('nodejs.util.inspect.custom')]: () => heard.push('inspected'),
    })
    await ctx.waitForEvent('end')
    return heard.filter((entry) => entry === 'then' || entry === 'inspected')
  },
})
