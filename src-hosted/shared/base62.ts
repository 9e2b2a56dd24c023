// Random text of digits and letters, for what travels in addresses and headers.

import { randomInt } from 'node:crypto'

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE = BigInt(DIGITS.length)

/** A whole number in base62, with zeros in front up to `length` characters. */
export const base62 = (value: bigint, length: number): string => {
  let text = ''
  for (let rest = value; rest > 0n; rest /= BASE) text = DIGITS[Number(rest % BASE)] + text
  return text.padStart(length, '0')
}

/** So many characters, each chosen with equal probability. */
export const randomBase62 = (length: number): string =>
  Array.from({ length }, () => DIGITS[randomInt(DIGITS.length)]).join('')
