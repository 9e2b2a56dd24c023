// Arrays of numbers until memory ends.
;({
  run: async () => {
    const kept = []
    for (;;) kept.push(new Array(1e6).fill(1.5))
  },
})
