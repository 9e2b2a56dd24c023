// Adds members to Object.prototype: only the Program's own payloads may be affected.
;({
  run: async (ctx) => {
    Object.prototype.toJSON = () => ({ forged: true })
    Array.prototype.toJSON = () => 'forged'
    const promise = ctx.effect('first', { a: 1 })
    ctx.sleep(5)
    ctx.waitForEvent('w', { timeout: 5 })
    await promise
    return 'done'
  },
})
