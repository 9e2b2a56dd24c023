// Reads the time in an id. A TypeID ends in a UUIDv7 in 26 digits of base32; the first ten are its milliseconds.

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz'
const TIME_DIGITS = 10
const SUFFIX_LENGTH = 26

/** ms since the epoch; `undefined` for an id that is not a TypeID. */
export const timeOfId = (id: string): number | undefined => {
  const start = id.lastIndexOf('_') + 1
  if (start === 0 || id.length - start !== SUFFIX_LENGTH) return undefined
  return toNumber(id.slice(start, start + TIME_DIGITS))
}

/** The range of times, both exclusive, of ids with this prefix; `undefined` when the prefix does not limit the time. */
export const timesOfIdPrefix = (prefix: string): { readonly after: number; readonly before: number } | undefined => {
  const start = prefix.lastIndexOf('_') + 1
  if (start === 0) return undefined
  const digits = prefix.slice(start, start + TIME_DIGITS)
  const first = toNumber(digits.padEnd(TIME_DIGITS, '0'))
  const last = toNumber(digits.padEnd(TIME_DIGITS, 'z'))
  return first === undefined || last === undefined ? undefined : { after: first - 1, before: last + 1 }
}

const toNumber = (digits: string): number | undefined => {
  let value = 0
  for (const digit of digits) {
    const index = DIGITS.indexOf(digit)
    if (index < 0) return undefined
    value = value * 32 + index
  }
  return value
}
