// What it throws never stops being looked at.
;({
  run: async () => {
    throw {
      toJSON() {
        for (;;);
      },
    }
  },
})
