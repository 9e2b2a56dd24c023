// Runs a native string search that takes minutes.
;({ run: async () => 'a'.repeat(1e7).indexOf('a'.repeat(5e6) + 'b') })
