// Computes with huge numbers natively: seconds without a loop.
;({
  run: async () => {
    const x = 3n ** 600000n
    let digits = 0
    for (let i = 0; i < 50; i++) digits += ((x * x) % (x - 1n)).toString().length
    return digits
  },
})
