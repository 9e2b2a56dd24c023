// Catastrophic backtracking.
;({ run: async () => /^(a+)+$/.test('a'.repeat(45) + 'b') })
