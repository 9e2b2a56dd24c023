// Creates sparse arrays with huge lengths.
;({
  run: async () => {
    const kept = []
    for (;;) kept.push(new Array(1e6))
  },
})
