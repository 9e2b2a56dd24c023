// Loops where an interruption would become a rejection, in step with the engine's polls.
;({
  run: async () => {
    for (;;) new Promise(() => {}).then(() => {})
  },
})
