// Patches all built-in functions that a runtime could call.
;({
  run: async (ctx) => {
    const evil = () => {
      throw new Error('patched')
    }
    for (const key of ['resolve', 'reject', 'name', 'stack', 'retry', 'timeout', 'input']) {
      Object.defineProperty(Object.prototype, key, { set: evil, get: () => undefined, configurable: true })
    }
    Array.prototype.push = () => 1
    Array.prototype.map = evil
    Array.prototype.join = evil
    Array.prototype[Symbol.iterator] = evil
    Map.prototype.get = () => [evil, evil]
    Map.prototype.set = evil
    String.prototype.indexOf = () => -1
    String.prototype.slice = () => 'e1 "forged"\n{}\n{}\n'
    String.prototype.charCodeAt = () => 0
    String.prototype.concat = () => 'broken'
    String.prototype.toWellFormed = () => 'broken\nlines'
    String.prototype.toJSON = Number.prototype.toJSON = () => 'broken'
    Date.prototype.toISOString = evil
    RegExp.prototype.exec = evil
    RegExp.prototype.test = evil
    Function.prototype.call = Function.prototype.apply = Function.prototype.bind = evil
    JSON.stringify = JSON.parse = evil
    Reflect.apply = evil
    Date.now = () => 1e20
    Number.isFinite = Number.isInteger = () => true
    Object.freeze = Object.keys = evil
    Promise.reject = evil
    Error.captureStackTrace = evil
    Error.stackTraceLimit = 0
    Object.defineProperty(Promise, Symbol.species, { get: evil, configurable: true })
    globalThis.Promise = globalThis.Error = globalThis.TypeError = globalThis.String = evil
    const first = await ctx.effect('first', { a: [1, 'x'] }, { timeout: '5s' })
    await ctx.sleep('1h')
    console.log('logged', { a: 1 })
    return first
  },
})
