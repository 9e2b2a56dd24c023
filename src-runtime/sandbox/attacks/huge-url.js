// Parses a huge URL, because the URL parser has its own allocator.
;({
  run: async () => {
    const kept = []
    try {
      for (let i = 0; i < 200; i++) kept.push(new URL('https://a.example/' + 'é'.repeat(1e6)).href.length)
    } catch (error) {
      return error.name
    }
    return kept.length
  },
})
