/**
 * None without a key. Throws a TypeError for a key that a header cannot carry unchanged, and for null in place of a key:
 * as the text "null" it would be one key of many requests.
 */
export const idempotencyHeader = (key: string | undefined): Readonly<Record<string, string>> =>
  key === undefined ? {} : { 'Idempotency-Key': headerText(key) }

const headerText = (key: string): string => {
  // Headers lose spaces and tabs at their ends.
  if (typeof key !== 'string' || key === '' || /^[ \t]|[ \t]$|[\0-\x08\x0a-\x1f\x7f]|\p{Surrogate}/u.test(key)) {
    throw new TypeError(
      `The idempotency key ${JSON.stringify(key)} is no text, is empty, or cannot be sent unchanged in a header`,
    )
  }
  // The bytes of UTF-8, as other clients send them: `fetch` takes one character for each byte.
  return encodeURIComponent(key).replace(/%([0-9A-F]{2})/g, (_, byte: string) =>
    String.fromCharCode(Number.parseInt(byte, 16)),
  )
}
