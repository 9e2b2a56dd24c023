// Leaves unhandled rejections whose reasons throw when they are inspected.
;({
  run: async (ctx) => {
    Promise.reject(new Error('unhandled'))
    ;(async () => {
      throw new TypeError('also unhandled')
    })()
    Promise.reject({
      [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) {
        globalThis.escaped = inspect?.constructor('return process')()
      },
    })
    Promise.reject(
      new Proxy(
        {},
        {
          getPrototypeOf() {
            throw new Error('trap')
          },
          ownKeys() {
            throw new Error('trap')
          },
        },
      ),
    )
    await ctx.effect('after')
    return typeof globalThis.escaped
  },
})
