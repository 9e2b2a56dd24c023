// Allocates buffers beyond its memory limit, and catches each error.
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
