;({
  run: async () => {
    for (;;);
  },
})
