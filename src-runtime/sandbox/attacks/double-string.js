// Doubles a string until it cannot be doubled.
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
