// How deep JSON is nested and how much it holds, before it is parsed.

/** Levels of arrays and objects within one another, of all JSON that callers, Programs and effects give. */
export const JSON_DEPTH_LIMIT = 256

const QUOTE = 0x22
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const BACKSLASH = 0x5c
const COMMA = 0x2c

/**
 * Whether arrays and objects lie more than `limit` levels within one another. Decided on the bytes, before anything is
 * parsed, without recursion. For bytes that are no JSON any answer will do.
 */
export const isDeeperThan = (bytes: Buffer, limit: number): boolean => {
  let depth = 0
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfString(bytes, at)
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) depth += 1
    else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth -= 1
    if (depth > limit) return true
  }
  return false
}

/** Whether it holds more than `limit` values. For bytes that are no JSON any answer will do. */
export const holdsMoreValuesThan = (bytes: Buffer, limit: number): boolean => {
  let count = 1
  for (let at = 0; at < bytes.length && count <= limit; at += 1) {
    const byte = bytes[at]
    if (byte === QUOTE) at = endOfString(bytes, at)
    // An empty array or object counts as if it held a value.
    else if (byte === COMMA || byte === OPEN_OBJECT || byte === OPEN_ARRAY) count += 1
  }
  return count > limit
}

/** The end of the string that begins at `start`: the first unescaped quote. */
const endOfString = (bytes: Buffer, start: number): number => {
  let at = start + 1
  for (;;) {
    const quote = bytes.indexOf(QUOTE, at)
    if (quote < 0) return bytes.length
    let backslashes = 0
    while (bytes[quote - 1 - backslashes] === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return quote
    at = quote + 1
  }
}

/** The same for JSON text. Each level costs a character at both ends, so most texts need no look. */
export const isTextDeeperThan = (json: string, limit: number): boolean => {
  if (json.length < 2 * limit) return false
  let depth = 0
  let inString = false
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charCodeAt(at)
    if (inString) {
      if (character === BACKSLASH) at += 1
      else if (character === QUOTE) inString = false
    } else if (character === QUOTE) inString = true
    else if (character === OPEN_ARRAY || character === OPEN_OBJECT) {
      depth += 1
      if (depth > limit) return true
    } else if (character === CLOSE_ARRAY || character === CLOSE_OBJECT) depth -= 1
  }
  return false
}
