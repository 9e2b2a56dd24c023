// Recurses for ever: that must throw an error that can be caught.
;({
  run: async () => {
    let depth = 0
    const deeper = () => {
      depth++
      return deeper() + 1
    }
    try {
      deeper()
    } catch (error) {
      return [error.name, depth > 100]
    }
  },
})
