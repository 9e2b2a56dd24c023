// Runs a native loop over 2^53 indexes.
;({ run: async () => Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1) })
