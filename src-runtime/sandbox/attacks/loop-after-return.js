// Returns, and leaves a job that never ends.
;({
  run: async () => {
    const spin = () => Promise.resolve().then(spin)
    spin()
    return 'returned'
  },
})
