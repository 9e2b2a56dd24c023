// The neighbour: waits during an attack, then returns what it finds in its realm.
;({
  run: async (ctx, input) => {
    const kept = { secret: input, list: [3, 1, 2] }
    await ctx.waitForEvent('go')
    return {
      secret: kept.secret,
      sorted: kept.list.sort().map((x) => x * 2),
      own: { inherited: {}.polluted ?? 'none', leaked: typeof globalThis.leaked, stolen: typeof globalThis.stolen },
      json: JSON.stringify({ a: [1] }),
      lastMatch: RegExp.$1 ?? '',
      time: Date.now(),
    }
  },
})
