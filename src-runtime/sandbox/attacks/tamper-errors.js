// Tries to change the runtime's error classes.
;({
  run: async (ctx) => {
    const error = await ctx.effect('fails').catch((caught) => caught)
    const refused = []
    for (const [name, act] of Object.entries({
      name: () => {
        'use strict'
        error.constructor.prototype.name = 'Forged'
      },
      parent: () => Object.setPrototypeOf(error.constructor, function () {}),
      member: () => Object.defineProperty(error.constructor, 'is', { value: () => true }),
    })) {
      try {
        act()
      } catch {
        refused.push(name)
      }
    }
    const again = await ctx.effect('fails').catch((caught) => caught)
    return [refused, again.name, again instanceof Error]
  },
})
