// Errors that Programs catch and effects throw. An error that reaches a Program was often made by another copy of these
// classes (the sandbox has its own), so `instanceof` checks a brand, not the prototype. Evaluating the module has no
// effect, so that bundles contain only the classes that they use.

import type { ErrorCause } from './contract-types.ts'

export type AuthorErrorOptions = { readonly cause?: unknown }

const brandOf = (name: string): symbol => Symbol.for(`wes.${name}`)

/** Members that are not enumerable, like those of any error: copies and logs of the error leave them out. */
const giveMember = (error: Error, key: string | symbol, value: unknown): void => {
  Object.defineProperty(error, key, { value, writable: true, configurable: true })
}

const giveNameAndBrand = (error: Error, name: string): void => {
  giveMember(error, 'name', name)
  Object.defineProperty(error, brandOf(name), { value: true })
}

const hasBrand = (value: unknown, name: string): boolean =>
  typeof value === 'object' && value !== null && (value as Readonly<Record<symbol, unknown>>)[brandOf(name)] === true

/**
 * `errorClass` is one of the classes below, or a subclass. They are told apart by what they extend: bundlers rename a class
 * that refers to itself.
 */
const isInstance = (errorClass: object, name: string, value: unknown): boolean =>
  Object.getPrototypeOf(errorClass) === Error
    ? hasBrand(value, name)
    : Function.prototype[Symbol.hasInstance].call(errorClass as () => void, value)

/** An effect throws it to prevent further attempts. */
export class NonRetryableError extends Error {
  declare readonly name: string

  constructor(message?: string, options?: AuthorErrorOptions) {
    super(message, options)
    giveNameAndBrand(this, 'NonRetryableError')
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(this, 'NonRetryableError', value)
  }
}

/** A Program catches it when an effect has no attempts left. The message is that of the effect's last error. */
export class EffectError extends Error {
  declare readonly name: string
  /** `effect_failed`, `effect_timeout`, `result_too_large` and the like. */
  declare readonly code: string
  /** The effect's last error. The stack, and what led to it, may be missing. */
  declare readonly cause?: (ErrorCause & { readonly name: string; readonly code?: string }) | undefined

  constructor(message?: string, options: AuthorErrorOptions & { readonly code?: string } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    giveMember(this, 'code', options.code ?? 'effect_failed')
    giveNameAndBrand(this, 'EffectError')
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(this, 'EffectError', value)
  }
}

/** A Program catches it when no event came before the timeout of `ctx.waitForEvent`. */
export class TimeoutError extends Error {
  declare readonly name: string

  constructor(message?: string, options?: AuthorErrorOptions) {
    super(message, options)
    giveNameAndBrand(this, 'TimeoutError')
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(this, 'TimeoutError', value)
  }
}

/** Every pending call of `ctx` rejects with it when the Execution is cancelled. */
export class CancelledError extends Error {
  declare readonly name: string

  constructor(message?: string, options?: AuthorErrorOptions) {
    super(message, options)
    giveNameAndBrand(this, 'CancelledError')
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(this, 'CancelledError', value)
  }
}
