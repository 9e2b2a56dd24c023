import { ApiError } from '../contract/errors.ts'
import { VALUE_LIMIT_BYTES } from '../contract/limits.ts'
import type { JsonText } from '../engine/journal.ts'

/** How many bytes one UTF-16 unit can take in UTF-8. */
const BYTES_PER_UNIT = 3

/** The text that is stored of a value that came as JSON. Numbers may be longer here than they were on the wire. */
export const jsonTextOf = (name: string, value: unknown): JsonText => {
  const text = JSON.stringify(value)
  if (text.length * BYTES_PER_UNIT > VALUE_LIMIT_BYTES && Buffer.byteLength(text) > VALUE_LIMIT_BYTES) {
    throw new ApiError('payload_too_large', `${name} must not be larger than ${VALUE_LIMIT_BYTES} bytes as JSON`)
  }
  return text
}
