// Asks for buffers far beyond what it may have; each request must be refused.
;({
  run: async () =>
    [8e9, 3e9, 1e9, 1e8].map((bytes) => {
      try {
        return new ArrayBuffer(bytes).byteLength
      } catch (error) {
        return error.name
      }
    }),
})
