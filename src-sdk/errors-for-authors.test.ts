import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { CancelledError, EffectError, NonRetryableError, TimeoutError } from './errors-for-authors.ts'

const classes = { CancelledError, EffectError, NonRetryableError, TimeoutError }

describe.each(Object.entries(classes))('%s', (name, ErrorClass) => {
  const foreign: unknown = runInNewContext(
    `(() => { class ${name} extends Error {}; ${name}.prototype[Symbol.for('wes.${name}')] = true; return new ${name}('x') })()`,
  )

  it('is an Error with its own name, message and cause', () => {
    const cause = new Error('why')
    const error = new ErrorClass('what', { cause })
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name, message: 'what', cause })
    expect(error.stack).toContain('errors-for-authors.test.ts')
    expect('cause' in new ErrorClass('what')).toBe(false)
  })

  it('has no enumerable members, as in a Program', () => {
    const error = new ErrorClass('what', { cause: 'why' })
    expect({ ...error, json: JSON.stringify(error) }).toEqual({ json: '{}' })
  })

  it('is recognised by its brand, for every copy of the class', () => {
    expect(foreign instanceof ErrorClass).toBe(true)
    expect(new ErrorClass() instanceof ErrorClass).toBe(true)
  })

  it('is not confused with other errors', () => {
    for (const value of [new Error('x'), null, undefined, 'x', {}, { name }])
      expect(value instanceof ErrorClass).toBe(false)
    for (const Other of Object.values(classes)) {
      if (Other !== ErrorClass) expect(foreign instanceof Other).toBe(false)
    }
  })

  it('can be extended, and the subclass differs', () => {
    class Narrower extends ErrorClass {}
    expect(new Narrower() instanceof ErrorClass).toBe(true)
    expect(new Narrower() instanceof Narrower).toBe(true)
    expect(new ErrorClass() instanceof Narrower).toBe(false)
  })
})

it('a subclass can have a name of its own', () => {
  class OutOfStock extends NonRetryableError {
    override readonly name = 'OutOfStock'
  }
  expect(new OutOfStock('none left')).toMatchObject({ name: 'OutOfStock', message: 'none left' })
})

describe('EffectError', () => {
  it('has the error’s code', () => {
    expect(new EffectError('x').code).toBe('effect_failed')
    expect(new EffectError('x', { code: 'effect_timeout' }).code).toBe('effect_timeout')
  })
})
