import { expect, it } from 'vitest'
import { mendParameters } from './mend-parameters.ts'
import { createMended } from './mend-rig.test-support.ts'

const mended = createMended(mendParameters)

it.each([
  'function f(a, get = () => a) { a = 7; return get() }',
  'function a(a, get = () => a) { a = 7; return get() }',
  'function f(a, b = (a = 5, 1)) { return a + b }',
  'function f(a, b = a++) { return a + b }',
  'function f(a = () => b, b = 2) { b = 3; return a() }',
  'keep((a, get = () => a) => get(a++))',
  'keep(async ({ a, set = (b) => { a = b } }) => { set(5); return a })',
  'keep(({\na = 1,\nset = (b) => { a = b }\n} = {}) => { set(5); return a })',
  'keep(({\nof: a = 1,\nby: get = () => a\n}) => { a++; return get() })',
  'keep({ m(a, options = {\nget() { return a }\n}) { a = 7; return options } })',
  'keep(class { constructor(a, get = function () { return a }) { a = 7; this.get = get } })',
  'function f(a, ...[get = () => a]) { for (a of [1]) return get() }',
])('%s declares its parameters in its body', (source) => {
  expect(mended(source).after).toContain('wesParameter0')
})

it.each([
  'function f(a, get = () => a) { return get() }',
  'function f(a, get = (b) => b) { a = 7; return get(a) }',
  'function f(a, get = () => a) { var a = 7; return get() }',
  'function f(a, b = 1) { keep(() => a++); return b }',
  'const f = (a, b = {}) => { keep(() => a++); b = a }',
])('%s stays as it is', (source) => {
  const { before, after } = mended(source)
  expect(after).toBe(before)
})

it('takes no name that the author has', () => {
  const { after } = mended('const wesParameter1 = 5; keep((a, get = () => a) => { a++; return get(wesParameter1) })')
  expect(after).toContain('(wesParameter_0, wesParameter_1 = void 0) => {')
})
