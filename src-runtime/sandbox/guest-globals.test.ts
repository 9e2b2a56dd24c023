import { describe, expect, test } from 'vitest'
import { commandsOf, createRig, logsOf, resultOf, START_AT } from './runner-rig.test-support.ts'

const rig = createRig()
const evaluate = (body: string, input?: unknown): unknown => resultOf(rig.program(body).start(input))

describe('the globals of a Program', () => {
  const PRESENT = [
    ...['Object', 'Function', 'Array', 'Map', 'Set', 'WeakMap', 'WeakSet', 'Promise', 'Proxy', 'Reflect', 'Symbol'],
    ...['BigInt', 'Date', 'RegExp', 'JSON', 'Math', 'Number', 'String', 'Boolean', 'Error', 'AggregateError'],
    ...['ArrayBuffer', 'DataView', 'Uint8Array', 'Float64Array', 'BigInt64Array', 'Iterator', 'globalThis'],
    ...['parseInt', 'parseFloat', 'isNaN', 'encodeURIComponent', 'decodeURIComponent', 'eval'],
    ...['console', 'crypto', 'structuredClone', 'TextEncoder', 'TextDecoder', 'URL', 'URLSearchParams'],
    ...['atob', 'btoa', 'queueMicrotask', 'AbortController', 'AbortSignal'],
  ]
  test.each(PRESENT)('%s exists', (name) => {
    expect(evaluate(`return typeof globalThis[input] !== 'undefined'`, name)).toBe(true)
  })

  const ABSENT = [
    ...['Intl', 'WeakRef', 'FinalizationRegistry', 'SharedArrayBuffer', 'Atomics', 'WebAssembly', 'performance', 'gc'],
    ...['setTimeout', 'setInterval', 'setImmediate', 'clearTimeout', 'fetch', 'XMLHttpRequest', 'WebSocket', 'Worker'],
    ...['process', 'require', 'module', 'exports', 'Buffer', 'global', 'window', 'self', 'navigator', 'document'],
    ...['print', 'std', 'os', 'bjson', 'LIMITS', 'entryPoints', 'contextMethods'],
  ]
  test.each(ABSENT)('%s does not exist', (name) => {
    expect(evaluate(`return typeof globalThis[input]`, name)).toBe('undefined')
  })

  test('setting a part of a Date to what is no number makes it invalid', () => {
    expect(
      evaluate(
        `const parts = ['Milliseconds', 'Seconds', 'Minutes', 'Hours', 'Date', 'Month', 'FullYear']
        return parts.flatMap((part) => ['set' + part, 'setUTC' + part]).map((name) => {
          const date = new Date(0)
          const returned = date[name](input)
          const other = new Date(0)
          other[name](2001)
          return [name, date[name].name, date[name].length, returned, date.getTime(), other.getTime() > 0]
        })`,
        'no number',
      ),
    ).toEqual(
      Object.entries({ Milliseconds: 1, Seconds: 2, Minutes: 3, Hours: 4, Date: 1, Month: 2, FullYear: 3 }).flatMap(
        ([part, length]) => [`set${part}`, `setUTC${part}`].map((name) => [name, name, length, null, null, true]),
      ),
    )
  })

  test('the stack of an error can be set to anything', () => {
    expect(
      evaluate(`const error = new Error('x')
        const copied = Object.assign(Object.create(error), { stack: null })
        return [undefined, 5, 'text', null].map((stack) => (error.stack = stack, error.stack ?? String(error.stack))).concat(copied.stack)`),
    ).toEqual(['undefined', 5, 'text', 'null', null])
  })

  test('Promise.any rejects with an error that has a message', () => {
    expect(
      evaluate(`const caught = (promise) => promise.then(String, (error) => [error.message, error.errors])
        const steps = []
        Promise.any([Promise.reject(1)]).catch(() => steps.push('any'))
        Promise.reject().catch(() => {}).then(() => {}).then(() => steps.push('other'))
        class Own extends Promise {}
        return [
          await caught(Promise.any([Promise.reject(1), Promise.reject(2)])), await caught(Promise.any([])),
          await caught(Promise.any([Promise.reject(1), 2])), Own.any([]) instanceof Own, Promise.any.length, steps,
          await caught(Promise.any({ [Symbol.iterator]() { throw new AggregateError([3], 'own') } })),
        ]`),
    ).toEqual([
      ['All promises were rejected', [1, 2]],
      ['All promises were rejected', []],
      '2',
      true,
      1,
      ['any', 'other'],
      ['own', [3]],
    ])
  })

  test('import() rejects', () => {
    expect(evaluate(`return import('node:fs').then(() => 'loaded', (error) => error instanceof Error)`)).toBe(true)
  })

  test('console and crypto are frozen, and so are their functions', () => {
    expect(
      evaluate(
        `return [console, console.log, crypto, crypto.randomUUID, ctx, ctx.effect, ctx.log].map(Object.isFrozen)`,
      ),
    ).toEqual([true, true, true, true, true, true, true])
  })
})

describe('the clock', () => {
  const at = START_AT + 1000
  test('is the clock of the turn in every function', () => {
    expect(
      evaluate(`const made = new Date()
        return [Date.now(), +made, Date.parse(Date()), +new made.constructor(), +Reflect.construct(Date, []),
          +new (class extends Date {})(), new Date(Date()).getTime()]`),
    ).toEqual(Array(7).fill(at))
  })

  test('stands still within a turn and moves with the next', () => {
    const execution = rig.program(`const a = Date.now(); for (let i = 0; i < 1e5; i++); const b = Date.now()
      await ctx.sleep(1000); return [a === b, Date.now() - a]`)
    execution.start()
    expect(resultOf(execution.timer(1))).toEqual([true, 1000])
  })

  test('is in UTC', () => {
    expect(
      evaluate(`return [new Date(0).getTimezoneOffset(), new Date(2026, 0, 1).toISOString(), String(new Date(0))]`),
    ).toEqual([0, '2026-01-01T00:00:00.000Z', 'Thu Jan 01 1970 00:00:00 GMT+0000'])
  })

  test('is the epoch while that of the machine stands before it', () => {
    const execution = rig.program(`const at = Date.now(); await ctx.sleep(1000); return at`)
    execution.at = Date.parse('1969-06-01T00:00:00.000Z')
    expect(commandsOf(execution.start())).toMatchObject([{ kind: 'timer', dueAt: 1000 }])
    expect(resultOf(execution.timer(1))).toBe(0)
  })

  test('is the epoch while the code loads, which happens once for all Executions', () => {
    const execution = rig.artifact(`const loadedAt = Date.now(); ({ run: async () => loadedAt })`)
    expect(resultOf(execution.start())).toBe(0)
  })
})

describe('random numbers', () => {
  const BODY = `return [Math.random(), Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(4))]]`
  test('are the same again in a replay and different in another Execution', () => {
    const first = rig.program(BODY)
    const other = rig.program(BODY)
    const numbers = resultOf(first.start())
    expect(resultOf(first.again())).toEqual(numbers)
    expect(resultOf(other.start())).not.toEqual(numbers)
  })

  test('look like random numbers', () => {
    const [mean, least, most, uuid, buckets] = evaluate(`const n = Array.from({ length: 5000 }, () => Math.random())
      const buckets = Array(10).fill(0); for (const x of n) buckets[Math.floor(x * 10)]++
      return [n.reduce((a, b) => a + b) / n.length, Math.min(...n), Math.max(...n), crypto.randomUUID(), buckets]`) as [
      number,
      number,
      number,
      string,
      number[],
    ]
    expect(mean).toBeCloseTo(0.5, 1)
    expect(least).toBeGreaterThanOrEqual(0)
    expect(most).toBeLessThan(1)
    expect(Math.min(...buckets)).toBeGreaterThan(400)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  })

  test('refuse other values than integer arrays, and more than 65536 bytes', () => {
    expect(
      evaluate(`const tried = (f) => { try { f() } catch (error) { return error.name } }
        return [tried(() => crypto.getRandomValues(new Float64Array(2))), tried(() => crypto.getRandomValues({})),
          tried(() => crypto.getRandomValues(new Uint8Array(65537)))]`),
    ).toEqual(['TypeError', 'TypeError', 'QuotaExceededError'])
  })
})

describe('other globals', () => {
  test('structuredClone copies graphs and refuses functions', () => {
    expect(
      evaluate(`const circle = { when: new Date(5), map: new Map([[1, new Set([2])]]), big: 3n }; circle.self = circle
        const copy = structuredClone(circle)
        let refused; try { structuredClone(() => 1) } catch (error) { refused = error.name }
        return [copy.self === copy, +copy.when, copy.map.get(1).has(2), String(copy.big), copy !== circle, refused]`),
    ).toEqual([true, 5, true, '3', true, 'DataCloneError'])
  })

  test('structuredClone keeps values that JSON loses', () => {
    expect(
      evaluate(`const bytes = new Uint8Array(8); const match = /(b)/.exec('abc'); class Point { x = 1; get y() { return 2 } }
        const [part, view, found, point, big, error, own] = structuredClone([bytes.subarray(2, 4), new DataView(bytes.buffer, 1, 3),
          match, new Point(), Object(5n), new RangeError('no', { cause: 7 }), JSON.parse('{"__proto__":1}')])
        return [part.buffer === view.buffer, part.length, view.byteLength, found.index, { ...point }, point instanceof Point,
          String(big), error instanceof RangeError, error.message, error.cause, Object.keys(own)]`),
    ).toEqual([true, 2, 3, 1, { x: 1 }, false, '5', true, 'no', 7, ['__proto__']])
  })

  test('structuredClone of a deep object throws a RangeError', () => {
    for (const layer of ['[value]', '{ value }', 'new Map([[1, value]])', 'new Set([value])']) {
      expect(
        evaluate(`const nested = (depth) => { let value = 1; for (let i = 0; i < depth; i++) value = ${layer}; return value }
          structuredClone(nested(1000))
          try { structuredClone(nested(100000)) } catch (error) { return [error instanceof RangeError, error.message] }`),
      ).toEqual([true, 'Maximum call stack size exceeded'])
    }
  })

  test('structuredClone copies large arrays whole', () => {
    expect(evaluate(`return structuredClone(new Array(100000).fill(1)).lastIndexOf(1)`)).toBe(99_999)
  })

  test('TextEncoder and TextDecoder convert UTF-8', () => {
    expect(
      evaluate(`const bytes = new TextEncoder().encode('häß€😀')
        return [bytes.length, new TextDecoder().decode(bytes), new TextDecoder().decode(new Uint8Array([255]))]`),
    ).toEqual([12, 'häß€😀', '�'])
  })

  test('atob and btoa', () => {
    expect(evaluate(`return [btoa('hello'), atob('aGVsbG8=')]`)).toEqual(['aGVsbG8=', 'hello'])
  })

  test('URL parses, changes and refuses', () => {
    expect(
      evaluate(`const url = new URL('/a b?x=1#h', 'https://münchen.example:8080/p')
        url.searchParams.append('y', 'ä&b'); const before = url.href
        url.search = '?z=2'; url.pathname = '/c'
        let refused; try { new URL('nowhere') } catch (error) { refused = error.name }
        return [before, url.href, url.searchParams.get('z'), url.origin, JSON.stringify({ url }), refused,
          URL.canParse('x:y'), URL.parse('nowhere'), String(url) === url.href, url instanceof URL]`),
    ).toEqual([
      'https://xn--mnchen-3ya.example:8080/a%20b?x=1&y=%C3%A4%26b#h',
      'https://xn--mnchen-3ya.example:8080/c?z=2#h',
      '2',
      'https://xn--mnchen-3ya.example:8080',
      '{"url":"https://xn--mnchen-3ya.example:8080/c?z=2#h"}',
      'TypeError',
      true,
      null,
      true,
      true,
    ])
  })

  test('URLSearchParams takes text, pairs, objects and itself', () => {
    expect(
      evaluate(`const params = new URLSearchParams('?a=1&b=%20+x&a=2&c')
        params.delete('b'); params.set('a', '3'); params.append('d', "~'()!*")
        return [String(params), [...new URLSearchParams({ q: 'ü', n: 1 })], new URLSearchParams([['k', 'v']]).get('k'),
          String(new URLSearchParams(params)) === String(params), params.size, params.has('c', ''),
          new URLSearchParams('x=%E4%zz').get('x')]`),
    ).toEqual([
      'a=3&c=&d=%7E%27%28%29%21*',
      [
        ['q', 'ü'],
        ['n', '1'],
      ],
      'v',
      true,
      3,
      true,
      '�%zz',
    ])
  })

  test('AbortController calls its listeners once', () => {
    expect(
      evaluate(`const heard = []; const controller = new AbortController()
        controller.signal.onabort = () => heard.push('on')
        controller.signal.addEventListener('abort', (event) => heard.push(event.type), { once: true })
        const removed = () => heard.push('removed'); controller.signal.addEventListener('abort', removed)
        controller.signal.removeEventListener('abort', removed)
        const any = AbortSignal.any([new AbortController().signal, controller.signal])
        controller.abort(); controller.abort()
        let thrown; try { controller.signal.throwIfAborted() } catch (error) { thrown = error.name }
        let illegal; try { new AbortSignal() } catch (error) { illegal = error.name }
        return [heard, thrown, any.aborted, any.reason.name, AbortSignal.abort(5).reason, illegal]`),
    ).toEqual([['on', 'abort'], 'AbortError', true, 'AbortError', 5, 'TypeError'])
  })

  test('queueMicrotask runs within the turn, and its errors are logged', () => {
    const output = rig
      .program(`let ran = false; queueMicrotask(() => { ran = true }); queueMicrotask(() => { throw new Error('late') })
        await null; await null; await null; return ran`)
      .start()
    expect(resultOf(output)).toBe(true)
    expect(logsOf(output)[0]).toMatchObject({ level: 'error', message: expect.stringContaining('late') })
  })
})
