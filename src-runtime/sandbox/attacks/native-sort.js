// Sorts a typed array over and over; each sort is one native call.
;({
  run: async () => {
    const numbers = new Float64Array(6e6)
    for (let i = 0; i < 6e6; i++) numbers[i] = -i
    for (let k = 0; k < 50; k++) {
      numbers.sort()
      numbers.reverse()
    }
    return 1
  },
})
