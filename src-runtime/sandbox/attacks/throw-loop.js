// Throws a value whose inspection never ends.
;({
  run: async () => {
    throw {
      toJSON() {
        for (;;);
      },
    }
  },
})
