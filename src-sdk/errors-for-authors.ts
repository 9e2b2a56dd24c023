// Errors that Programs catch and effects throw. What reaches a Program was often made by another copy of these classes
// (the sandbox has its own), so `instanceof` asks for a brand and not for the prototype. Nothing here happens when the
// module is evaluated, so that a bundle holds only the classes that it uses.

export type AuthorErrorOptions = { readonly cause?: unknown }

const brandOf = (name: string): symbol => Symbol.for(`wes.${name}`)

const giveBrand = (error: Error, name: string): void => {
  Object.defineProperty(error, brandOf(name), { value: true })
}

const hasBrand = (value: unknown, name: string): boolean =>
  typeof value === 'object' && value !== null && (value as Readonly<Record<symbol, unknown>>)[brandOf(name)] === true

const isInstance = (errorClass: unknown, value: unknown): boolean =>
  Function.prototype[Symbol.hasInstance].call(errorClass as () => void, value)

/** Thrown by an effect that should not be tried again. */
export class NonRetryableError extends Error {
  override readonly name: string = 'NonRetryableError'

  constructor(message?: string, options?: AuthorErrorOptions) {
    super(message, options)
    giveBrand(this, 'NonRetryableError')
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === NonRetryableError ? hasBrand(value, 'NonRetryableError') : isInstance(this, value)
  }
}

/** What a Program catches when an effect failed for good. Its message is that of what the effect threw last. */
export class EffectError extends Error {
  override readonly name: string = 'EffectError'
  /** `effect_failed`, `effect_timeout`, `result_too_large` and the like. */
  readonly code: string
  /** What the effect threw last. */
  declare readonly cause?: { readonly name: string; readonly message: string; readonly code?: string } | undefined

  constructor(message?: string, options: AuthorErrorOptions & { readonly code?: string } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined)
    this.code = options.code ?? 'effect_failed'
    giveBrand(this, 'EffectError')
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === EffectError ? hasBrand(value, 'EffectError') : isInstance(this, value)
  }
}

/** What a Program catches when no event came before the timeout of `ctx.waitForEvent`. */
export class TimeoutError extends Error {
  override readonly name: string = 'TimeoutError'

  constructor(message?: string, options?: AuthorErrorOptions) {
    super(message, options)
    giveBrand(this, 'TimeoutError')
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === TimeoutError ? hasBrand(value, 'TimeoutError') : isInstance(this, value)
  }
}

/** What everything that a Program awaits rejects with when its Execution is cancelled. */
export class CancelledError extends Error {
  override readonly name: string = 'CancelledError'

  constructor(message?: string, options?: AuthorErrorOptions) {
    super(message, options)
    giveBrand(this, 'CancelledError')
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === CancelledError ? hasBrand(value, 'CancelledError') : isInstance(this, value)
  }
}
