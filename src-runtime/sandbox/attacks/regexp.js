// Runs a regular expression with catastrophic backtracking.
;({ run: async () => /^(a+)+$/.test('a'.repeat(45) + 'b') })
