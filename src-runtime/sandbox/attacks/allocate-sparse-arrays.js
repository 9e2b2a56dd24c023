// Arrays that only claim to be long.
;({
  run: async () => {
    const kept = []
    for (;;) kept.push(new Array(1e6))
  },
})
