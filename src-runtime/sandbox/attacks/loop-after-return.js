// Returns, and leaves something behind that would run for ever.
;({
  run: async () => {
    const spin = () => Promise.resolve().then(spin)
    spin()
    return 'returned'
  },
})
