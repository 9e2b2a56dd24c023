// Recurses through native functions: each must throw an error or succeed.
;({
  run: async () => {
    const tried = {}
    const attempt = (name, act) => {
      try {
        act()
        tried[name] = 'fine'
      } catch (error) {
        tried[name] = error.name
      }
    }
    attempt('toString', () => {
      const list = []
      list[0] = { toString: () => String(list[0]) }
      String(list[0])
    })
    attempt('sort', () => {
      const compare = () => [2, 1].sort(compare)
      compare()
    })
    attempt('getter', () => {
      const object = {
        get x() {
          return this.x
        },
      }
      return object.x
    })
    attempt('proxy', () => new Proxy({}, { get: (_, key, receiver) => receiver[key] }).x)
    attempt('map', () => {
      const again = () => [1, 2].map(again)
      again()
    })
    attempt('parse', () => JSON.parse('['.repeat(1e5) + ']'.repeat(1e5)))
    attempt('stringify', () => {
      let nested = []
      for (let i = 0; i < 1e5; i++) nested = [nested]
      JSON.stringify(nested)
    })
    attempt('regexp', () => new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('a'))
    attempt('flat', () => {
      let nested = []
      for (let i = 0; i < 1e5; i++) nested = [nested]
      nested.flat(Infinity)
    })
    attempt('replace', () => {
      const again = () => 'a'.replace('a', again)
      again()
    })
    attempt('source', () => (0, eval)('('.repeat(1e5) + '1' + ')'.repeat(1e5)))
    attempt('proxy chain', () => {
      let proxy = {}
      for (let i = 0; i < 1e5; i++) proxy = new Proxy(proxy, {})
      return proxy.x
    })
    attempt('bind chain', () => {
      let bound = () => 1
      for (let i = 0; i < 1e5; i++) bound = bound.bind(null)
      bound()
    })
    attempt('long chain', () => {
      let chain = null
      for (let i = 0; i < 3e5; i++) chain = { chain }
      chain = null
    })
    attempt('clone', () => {
      let nested = []
      for (let i = 0; i < 1e5; i++) nested = [nested]
      structuredClone(nested)
    })
    attempt('log', () => {
      let nested = {}
      for (let i = 0; i < 1e5; i++) nested = { nested }
      console.log(nested)
    })
    return tried
  },
})
