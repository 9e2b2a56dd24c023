// Replaces `then` and `constructor` of all promises, including the runtime's.
;({
  run: async (ctx) => {
    const original = Promise.prototype.then
    let seen = 0
    Promise.prototype.then = function (...args) {
      seen++
      return Reflect.apply(original, this, args)
    }
    Object.defineProperty(Promise.prototype, 'constructor', { get: () => class extends Promise {}, configurable: true })
    const value = await ctx.effect('first')
    return [value, seen > 0]
  },
})
