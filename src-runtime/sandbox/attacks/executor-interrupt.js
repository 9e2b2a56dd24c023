// Is interrupted inside a promise's executor, a getter, a sort and a replace: some engines turn that into a rejection.
;({
  run: async () => {
    const spin = () => {
      for (;;);
    }
    await new Promise(spin).catch(() => {})
    try {
      ;[2, 1].sort(spin)
    } catch {}
    try {
      'a'.replace('a', spin)
    } catch {}
    return 'survived'
  },
})
