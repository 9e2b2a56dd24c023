// Returns a result whose serialisation never ends.
;({
  run: async () => ({
    toJSON() {
      for (;;);
    },
  }),
})
