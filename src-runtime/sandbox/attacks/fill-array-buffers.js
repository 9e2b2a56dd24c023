// Allocates and fills buffers until it is out of memory.
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
