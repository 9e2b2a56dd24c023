// Doubles a string until that fails.
;({
  run: async () => {
    let text = 'x'
    try {
      for (;;) text = text + text
    } catch (error) {
      return error.name
    }
  },
})
