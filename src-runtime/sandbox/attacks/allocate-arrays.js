// Allocates arrays of numbers until it is out of memory.
;({
  run: async () => {
    const kept = []
    for (;;) kept.push(new Array(1e6).fill(1.5))
  },
})
