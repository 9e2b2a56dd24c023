// Loops in microtasks for ever.
;({
  run: async () => {
    for (;;) await null
  },
})
