// Runs out of memory again and again, and catches it each time.
;({
  run: async () => {
    for (;;) {
      const kept = []
      try {
        for (;;) kept.push('x'.repeat(100000) + kept.length)
      } catch {}
    }
  },
})
