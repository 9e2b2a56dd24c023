// Squares a BigInt until it is out of memory.
;({
  run: async () => {
    let x = 3n
    for (let i = 0; i < 40; i++) x = x * x
    return String(x).length
  },
})
