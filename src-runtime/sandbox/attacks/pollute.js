// Leaves values wherever it can; the neighbour looks for them.
;({
  run: async () => {
    Object.prototype.polluted = 'yes'
    globalThis.leaked = 1
    Array.prototype.map = () => 'evil'
    Array.prototype.sort = () => 'evil'
    JSON.stringify = () => 'evil'
    const original = Promise.prototype.then
    Promise.prototype.then = function (...args) {
      globalThis.stolen = 1
      return original.apply(this, args)
    }
    ;/(secret)/.exec('my secret')
    Symbol.for('shared').description
    return 'polluted'
  },
})
