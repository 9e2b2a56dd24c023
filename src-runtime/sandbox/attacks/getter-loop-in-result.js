// The result's own serialisation never ends.
;({
  run: async () => ({
    toJSON() {
      for (;;);
    },
  }),
})
