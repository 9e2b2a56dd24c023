// Errors that Programs catch and effects throw. What reaches a Program was often made by another copy of these classes
// (the sandbox has its own), so `instanceof` asks for a brand and not for the prototype.

const isBranded = (value: unknown, brand: symbol): boolean =>
  typeof value === 'object' && value !== null && (value as Readonly<Record<symbol, unknown>>)[brand] === true

const ownInstance = Function.prototype[Symbol.hasInstance]

const nonRetryable = /* @__PURE__ */ Symbol.for('wes.NonRetryableError')
const effectBrand = /* @__PURE__ */ Symbol.for('wes.EffectError')
const timeoutBrand = /* @__PURE__ */ Symbol.for('wes.TimeoutError')
const cancelledBrand = /* @__PURE__ */ Symbol.for('wes.CancelledError')

export type AuthorErrorOptions = { readonly cause?: unknown }

/** Thrown by an effect that should not be tried again. */
export class NonRetryableError extends Error {
  override readonly name: string = 'NonRetryableError'
  get [nonRetryable](): true {
    return true
  }

  constructor(message?: string, options?: AuthorErrorOptions) {
    super(message, options)
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === NonRetryableError ? isBranded(value, nonRetryable) : ownInstance.call(this, value)
  }
}

/** What a Program catches when an effect failed for good. Its message is that of what the effect threw last. */
export class EffectError extends Error {
  override readonly name: string = 'EffectError'
  get [effectBrand](): true {
    return true
  }
  /** `effect_failed`, `effect_timeout`, `result_too_large` and the like. */
  readonly code: string
  /** What the effect threw last. */
  declare readonly cause?: { readonly name: string; readonly message: string; readonly code?: string } | undefined

  constructor(message?: string, options: AuthorErrorOptions & { readonly code?: string } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = options.code ?? 'effect_failed'
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === EffectError ? isBranded(value, effectBrand) : ownInstance.call(this, value)
  }
}

/** What a Program catches when no event came before the timeout of `ctx.waitForEvent`. */
export class TimeoutError extends Error {
  override readonly name: string = 'TimeoutError'
  get [timeoutBrand](): true {
    return true
  }

  constructor(message?: string, options?: AuthorErrorOptions) {
    super(message, options)
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === TimeoutError ? isBranded(value, timeoutBrand) : ownInstance.call(this, value)
  }
}

/** What everything that a Program awaits rejects with when its Execution is cancelled. */
export class CancelledError extends Error {
  override readonly name: string = 'CancelledError'
  get [cancelledBrand](): true {
    return true
  }

  constructor(message?: string, options?: AuthorErrorOptions) {
    super(message, options)
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === CancelledError ? isBranded(value, cancelledBrand) : ownInstance.call(this, value)
  }
}
