// Loops where an interruption would become a rejection, in sync with the engine's polls.
;({
  run: async () => {
    for (;;) new Promise(() => {}).then(() => {})
  },
})
