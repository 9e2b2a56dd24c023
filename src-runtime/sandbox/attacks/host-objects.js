// Looks for objects of another realm.
;({
  run: async (ctx) => {
    const found = []
    const probe = (name, make) => {
      try {
        const value = make()
        const outside = value?.constructor?.constructor?.('return typeof process === "object" ? process : undefined')()
        if (outside !== undefined) found.push(name)
        let prototype = value
        while (Object.getPrototypeOf(prototype) !== null) prototype = Object.getPrototypeOf(prototype)
        if (prototype !== Object.prototype) found.push(`${name}: another realm`)
      } catch {}
    }
    const rejected = await import('x').catch((error) => error)
    probe('import error', () => rejected)
    probe('import promise', () => {
      const promise = import('y')
      promise.catch(() => {})
      return promise
    })
    probe('ctx', () => ctx)
    probe('effect', () => ctx.effect)
    probe('promise', () => ctx.sleep(1))
    probe('console', () => console.log)
    probe('clone', () => structuredClone(new Error('x')))
    probe('url', () => new URL('https://a.example'))
    probe('stack overflow', () => {
      let caught
      const deeper = () => {
        try {
          deeper()
        } catch (error) {
          caught ??= error
        }
      }
      deeper()
      return caught
    })
    probe('overflow in ctx', () => {
      let caught
      const deeper = () => {
        try {
          console.log('x')
          deeper()
        } catch (error) {
          caught ??= error
        }
      }
      deeper()
      return caught
    })
    const makers = [Function]
    for (const source of ['function* () {}', 'async () => {}', 'async function* () {}']) {
      const maker = (0, eval)(`(${source})`).constructor
      makers.push(maker)
      const made = maker('return typeof process')()
      const answer = (await made.next?.())?.value ?? (await made)
      if (answer !== 'undefined') found.push(source)
    }
    const seen = new Set()
    const walk = (object, depth) => {
      if (
        depth > 5 ||
        (typeof object !== 'object' && typeof object !== 'function') ||
        object === null ||
        seen.has(object)
      )
        return
      seen.add(object)
      const maker = object.constructor?.constructor
      if (typeof maker === 'function' && !makers.includes(maker)) found.push('another Function')
      for (const key of Reflect.ownKeys(object)) {
        const descriptor = Reflect.getOwnPropertyDescriptor(object, key)
        for (const value of [descriptor?.value, descriptor?.get, descriptor?.set]) walk(value, depth + 1)
      }
      walk(Object.getPrototypeOf(object), depth + 1)
    }
    walk(globalThis, 0)
    walk(ctx, 0)
    const stack = new Error('x').stack
    if (/node_modules|node:|file:|\/work|\/home/.test(stack)) found.push(`paths in ${stack}`)
    return { found, walked: seen.size > 500 }
  },
})
