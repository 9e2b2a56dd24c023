// JSON without loss: numbers that JavaScript's cannot hold keep their text, from the answer of a service over the screen
// to the next request. All other values are what JSON.parse makes of them.

/** Only browsers from 2025 on tell a number's text and take one; others round, as JSON.parse always did. */
type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown
type NewerJson = {
  parse(text: string, reviver: Reviver): unknown
  readonly rawJSON?: (text: string) => unknown
}
const json: NewerJson = JSON

/** A number whose value JavaScript's numbers cannot hold. JSON.stringify writes it as it was. */
export class ExactNumber {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }

  toJSON(): unknown {
    return json.rawJSON?.(this.source) ?? Number(this.source)
  }

  toString(): string {
    return this.source
  }
}

/** Sixteen digits, or an exponent of three: nothing shorter is ever rounded. */
const MAYBE_ROUNDED = /\d(?:\.?\d){15}|\d[eE][+-]?\d{3}/

/** Throws as JSON.parse does. */
export const parseExactJson = (text: string): unknown => {
  if (!MAYBE_ROUNDED.test(text)) return JSON.parse(text) as unknown
  return json.parse(text, (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined && isRounded(context.source, value)
      ? new ExactNumber(context.source)
      : value,
  )
}

/** A number as it was typed; undefined when it is none. */
export const parseExactNumber = (text: string): number | ExactNumber | undefined => {
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text)) return undefined
  return isRounded(text, Number(text)) ? new ExactNumber(text) : Number(text)
}

const isRounded = (source: string, value: number): boolean =>
  !Number.isFinite(value) || significantDigits(source) !== significantDigits(String(value))

const significantDigits = (number: string): string =>
  number
    .replace(/[eE].*/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+|0+$/g, '')

/** undefined becomes the empty text: nothing was given. */
export const stringifyExactJson = (value: unknown, indent = 0): string =>
  value === undefined ? '' : JSON.stringify(value, undefined, indent)

/** For those who only know JavaScript's numbers: the same value with its exact numbers rounded. */
export const rounded = (value: unknown): unknown => {
  if (value instanceof ExactNumber) return Number(value.source)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(rounded)
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, rounded(member)]))
}
