// Never awaits anything real, and never returns either.
;({
  run: async () => {
    for (;;) await null
  },
})
