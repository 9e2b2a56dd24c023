// Takes buffers and writes all of them, until none is left.
;({
  run: async () => {
    const kept = []
    for (;;) {
      const bytes = new Uint8Array(8e6)
      bytes.fill(7)
      kept.push(bytes)
    }
  },
})
