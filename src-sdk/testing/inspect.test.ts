import { runInThisContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createRig, logsOf } from '../../src-runtime/sandbox/runner-rig.test-support.ts'
import { inspectAll } from './inspect.ts'

const rig = createRig()

/** Frames differ: they name the test's file. */
const withoutFrames = (text: string | undefined): string | undefined => text?.replace(/\n\s+at .*/g, '')

it.each([
  `'text', 1, -0, 2n, true, null, undefined, Symbol('s'), NaN, Infinity, 1e21, ''`,
  `'paid', { cents: 5 }, [['a']], 'a\\nb', ['a\\nb']`,
  `{ a: 1, 'b-c': 'x', [Symbol('s')]: [1, , 3] }`,
  `{}, [], Object.create(null), new (class Point { x = 1 })()`,
  `new Map([[{ k: 1 }, new Set(['v'])]]), new Map(), new Set(), new WeakMap()`,
  `new Date(0), new Date(NaN), /x/gi, () => 1, class Foo {}, function named() {}, [function inner() {}]`,
  `new Uint8Array([1, 2]), new ArrayBuffer(8), new DataView(new ArrayBuffer(2)), new Float64Array(0)`,
  `{ get trap() { throw 1 }, set only(x) {}, get both() { return 1 }, set both(x) {} }`,
  `(() => { const a = { b: {} }; a.b.a = a; return a })()`,
  `{ a: { b: { c: { d: { e: { f: { g: 1 } } } } } } }, [[[[[[[[1]]]]]]]]`,
  `new Proxy({}, { ownKeys() { throw 1 } }), new Proxy({ a: 1 }, {}), new Proxy([1], {})`,
  `Array.from({ length: 500 }, (_, i) => i), new Map(Array.from({ length: 200 }, (_, i) => [i, i]))`,
  `Object.fromEntries(Array.from({ length: 190 }, (_, i) => ['k' + i, i]))`,
  `Array.from({ length: 90 }, () => Object.fromEntries(Array.from({ length: 90 }, (_, i) => ['k' + i, i])))`,
  `Object.assign([1, 2], { more: 3 }), Object.assign(() => 1, { more: 3 })`,
  `Object.assign(new TypeError('outer', { cause: new Error('inner') }), { code: 'E1' })`,
  `new Error(), new RangeError('x'), new AggregateError([new Error('a')], 'many'), [new Error('inside')]`,
  `Object.assign(new Error('x'), { name: 'Other' })`,
  `new (class OutOfStock extends Error {})('none left'), new (class Odd extends Error { name = 'Odd' })('m')`,
  `new Error('x', { cause: 'text' }), new Error('x', { cause: { a: [1n] } }), Object.create(Error.prototype)`,
  `new String('s'), new Number(1), new Boolean(false), Object(1n), Object(Symbol('s'))`,
  `'%s is %d, %i and %f: %o %O %j%c!', 'a', 5, 5.9, 0.5, 'text', { a: 1 }, [1n], 'color: red', 'more', 1`,
  `'%d%% of %s, %s %x %', 5, 'it'`,
  `'100%%'`,
  `'%s %s', { a: 'x' }, undefined`,
  `'no directive', '%s', 1`,
  `Promise.resolve(1), (function () { return arguments })(1, 2), Math, JSON, globalThis === undefined`,
])('formats as the sandbox does: %s', (values) => {
  const [logged] = logsOf(rig.program(`console.log(${values})`).start())
  const inTest = runInThisContext(`[${values}]`) as readonly unknown[]
  expect(withoutFrames(inspectAll(inTest))).toBe(withoutFrames(logged?.message))
})
