import { expect, it } from 'vitest'
import { createDescribeError } from './host/describe-error.ts'

const describeError = createDescribeError({ folder: '/project', hostFolder: '/host' })

/** As an error that `fetch` rejects with when no address answers. */
const without = (errors: readonly unknown[]): AggregateError =>
  Object.assign(new AggregateError(errors, 'none'), { message: '' })

it('has the messages of inner errors if it has none of its own', () => {
  const refused = new Error('refused')
  expect(describeError(without([refused, without(['a', refused]), without([])])).message).toBe('refused; a; refused')
})

it('has the messages of inner errors in place of those that `Promise.any` and `using` give', () => {
  const rejected = new AggregateError([new Error('a'), 'b'], 'All promises were rejected')
  expect(describeError(rejected)).toMatchObject({ message: 'a; b', cause: { message: 'a' } })
  expect(describeError(new AggregateError([], 'All promises were rejected')).message).toBe('All promises were rejected')
  for (const message of ['An error was suppressed during disposal', 'An error was suppressed during disposal.']) {
    const suppressed = new SuppressedError(new RangeError('a'), rejected, message)
    expect(describeError(suppressed)).toMatchObject({ message: 'a; a; b', cause: { name: 'RangeError', message: 'a' } })
  }
})

it('has the JSON of a message that is no text', () => {
  const messageOf = (message: unknown) => describeError(Object.assign(new Error('own'), { message })).message
  expect(messageOf(['a must be a number', 'b is missing'])).toBe('["a must be a number","b is missing"]')
  expect(messageOf({ detail: 'no funds' })).toBe('{"detail":"no funds"}')
  expect(messageOf(null)).toBe('')
})

it('shows thrown values as logs do where JSON leaves something out', () => {
  const circle: Record<string, unknown> = { b: 1 }
  circle.a = circle
  const messageOf = (thrown: unknown) => describeError(thrown).message
  expect(messageOf({ code: 7, big: 10n })).toBe('{ code: 7, big: 10n }')
  expect(messageOf(circle)).toBe('<ref *1> { b: 1, a: [Circular *1] }')
  expect(messageOf(new Map([[1, 'a']]))).toBe("Map(1) { 1 => 'a' }")
  expect(messageOf(Object.defineProperty({ b: 5n }, 'a', { enumerable: true, get: () => circle.none }))).toBe(
    '{ b: 5n, a: [Getter] }',
  )
  expect(messageOf(Object.assign(Object.create(null), { a: 5n }))).toBe('[Object: null prototype] { a: 5n }')
  expect(describeError(new Error('a', { cause: { big: 10n } })).cause!.message).toBe('{ big: 10n }')
})

it('has no half of a surrogate pair: one that was thrown is replaced, and a cut is between two characters', () => {
  const thrown = new Error(`\ud800${'😀'.repeat(10_000)}`, { cause: new Error(`a${'😀'.repeat(10_000)}`) })
  const { message, stack, cause } = describeError(thrown)
  expect(message).toBe(`\ufffd${'😀'.repeat(8_191)} … (3618 more characters)`)
  expect(cause!.message).toMatch(/^a(?:😀){2047} … \(15906 more characters\)$/u)
  expect(stack!.isWellFormed()).toBe(true)
  expect(cause!.stack).toMatch(/^Error: a(?:😀)+ … \(\d+ more characters\)$/u)
})

it('says how much was cut from what was thrown, also of a cause and of inner errors', () => {
  const long = (message: string) => new Error('failed', { cause: new Error(message) })
  expect(describeError(long('a'.repeat(20_001))).cause!.message).toBe(`${'a'.repeat(4_096)} … (15905 more characters)`)
  expect(describeError(long('a'.repeat(4_096))).cause!.message).toBe('a'.repeat(4_096))
  const inner = without(['a'.repeat(20_000), 'b'])
  expect(describeError(inner).message).toBe(`${'a'.repeat(16_384)} … (3619 more characters)`)
  const cause = Object.assign(new Error('a'.repeat(20_000)), { stack: undefined })
  expect(describeError(new Error('failed', { cause })).cause!.stack).toBe(
    `Error: ${'a'.repeat(8_185)} … (11815 more characters)`,
  )
})

it('ends with an error that contains itself, as with a tree of thousands', () => {
  const one = without([])
  one.errors.push(one, new Error('once'))
  expect(describeError(one)).toMatchObject({ message: 'once', name: 'AggregateError' })
  const [left, right] = [without([]), without([])]
  left.errors.push(right)
  right.errors.push(left)
  expect(describeError(left).message).toBe('')
  const wide = (levels: number): unknown =>
    levels === 0 ? 'deep' : without(Array.from({ length: 10 }, () => wide(levels - 1)))
  expect(describeError(wide(3)).message).toMatch(/^deep(; deep){999}$/)
  expect(describeError(wide(4)).message).toBe('')
})
