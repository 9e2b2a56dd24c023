import { expect, test } from 'vitest'
import { createRig, logsOf } from './runner-rig.test-support.ts'

const rig = createRig()
const logged = (body: string) => logsOf(rig.program(body).start())

test('each method writes a log entry of its level', () => {
  expect(
    logged(`console.debug('a'); console.log('b'); console.info('c'); console.warn('d'); console.error('e')
      ctx.log.debug('f'); ctx.log.info('g'); ctx.log.warn('h'); ctx.log.error('i')`),
  ).toEqual(
    ['debug', 'info', 'info', 'warn', 'error', 'debug', 'info', 'warn', 'error'].map((level, index) => ({
      level,
      message: 'abcdefghi'[index],
    })),
  )
})

test.each([
  [`'text', 1, -0, 2n, true, null, undefined, Symbol('s')`, 'text 1 -0 2n true null undefined Symbol(s)'],
  [`{ a: 1, 'b-c': 'x', [Symbol('s')]: [1, , 3] }`, '{ a: 1, "b-c": "x", [Symbol(s)]: [ 1, <empty>, 3 ] }'],
  [`{}, [], Object.create(null), new (class Point { x = 1 })()`, '{} [] [null prototype] {} Point { x: 1 }'],
  [`new Map([[{ k: 1 }, new Set(['v'])]])`, 'Map(1) { { k: 1 } => Set(1) { "v" } }'],
  [
    `new Date(0), new Date(NaN), /x/gi, () => 1, class Foo {}, function named() {}`,
    '1970-01-01T00:00:00.000Z Invalid Date /x/gi [Function (anonymous)] [class: Foo] [Function: named]',
  ],
  [`new Uint8Array([1, 2]), new ArrayBuffer(8)`, 'Uint8Array(2) [ 1, 2 ] ArrayBuffer(8)'],
  [
    `{ at: new URL('https://a.example/b?c=1') }, new URLSearchParams('a=1&b=ä'), Object.create(URL.prototype)`,
    '{ at: URL { "https://a.example/b?c=1" } } URLSearchParams { "a=1&b=%C3%A4" } URL {}',
  ],
  [`{ get trap() { throw 1 }, set only(x) {} }`, '{ trap: [Getter], only: [Setter] }'],
  [`(() => { const a = { b: {} }; a.b.a = a; return a })()`, '{ b: { a: [Circular] } }'],
  [`{ a: { b: { c: { d: { e: { f: 1 } } } } } }`, '{ a: { b: { c: { d: { e: { f: 1 } } } } } }'],
  [`{ a: { b: { c: { d: { e: { f: { g: 1 } } } } } } }`, '{ a: { b: { c: { d: { e: { f: [Object] } } } } } }'],
  [`new Proxy({}, { ownKeys() { throw 1 } })`, '[unreadable]'],
  [`'order %s: %d of %i, %o%%', 'A-7', 1, 2.5, { a: 'x' }, 'more'`, 'order A-7: 1 of 2, { a: "x" }% more'],
  [`'%s and %s, 5% %x %', 'one'`, 'one and %s, 5% %x %'],
  [`'100%%'`, '100%%'],
])('console.log(%s)', (values, message) => {
  expect(logged(`console.log(${values})`)).toEqual([{ level: 'info', message }])
})

test('errors show name, message, stack, own members, cause and inner errors', () => {
  const [many] = logged(`console.error(new AggregateError([1, 'a'], 'many'))`)
  expect(many?.message).toMatch(/^AggregateError: many\n {4}at run .*\n\{ errors: \[ 1, "a" \] \}$/)
  const [log] = logged(
    `const error = new TypeError('outer', { cause: new Error('inner') }); error.code = 'E1'; console.error(error)`,
  )
  expect(log?.message).toMatch(
    /^TypeError: outer\n {4}at run \(program\.js:\d+:\d+\)\n\{ code: "E1", cause: Error: inner\n/,
  )
})

test('a DOMException shows its name and message', () => {
  const [log] = logged(`try { structuredClone(() => 1) } catch (error) { console.error('no copy:', error) }`)
  expect(log?.message).toMatch(/^no copy: DataCloneError: \S.* cannot be cloned\n {4}at /)
})

test('long lists and huge values are cut', () => {
  const [list, huge, text] = logged(`console.log(Array.from({ length: 500 }, (_, i) => i))
    const wide = () => Object.fromEntries(Array.from({ length: 90 }, (_, i) => ['k' + i, i]))
    console.log(Array.from({ length: 90 }, wide)); console.log('x'.repeat(1e6))`)
  expect(list?.message).toMatch(/, 99, … 400 more \]$/)
  expect(huge?.message).toContain('… more')
  expect(text?.message.length).toBe(64 * 1024 + 1)
})

test('a text is cut between two characters, and not within one', () => {
  const [text] = logged(`console.log('a' + '😀'.repeat(40000))`)
  expect(text?.message).toBe(`a${'😀'.repeat(32_767)}…`)
})

test('other methods that libraries call exist, and do nothing', () => {
  expect(
    logged(`console.assert(true, 'no'); console.assert(false, 'why', 1); console.group('inside'); console.groupEnd()
      console.time('t'); console.timeLog('t'); console.timeEnd('t'); console.count('c'); console.countReset('c'); console.clear(); console.dirxml({})`),
  ).toEqual([
    { level: 'error', message: 'Assertion failed: why 1' },
    { level: 'info', message: 'inside' },
    { level: 'info', message: '{}' },
  ])
})

test('a turn keeps at most 256 kB of logs, in their stored size', () => {
  for (const character of ['a', 'ž', '語']) {
    const logs = logged(`for (let i = 0; i < 100; i++) console.log('${character}'.repeat(10_000))`)
    const last = logs.at(-1)?.message ?? ''
    expect(last).toMatch(/^\d+ more log entries of this turn were dropped$/)
    const bytes = logs.reduce((sum, { message }) => sum + Buffer.byteLength(message), 0)
    expect(bytes).toBeLessThanOrEqual(256 * 1024)
    expect(bytes).toBeGreaterThan(220 * 1024)
  }
})
