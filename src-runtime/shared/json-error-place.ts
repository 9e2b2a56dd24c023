// Finds the first error in JSON text. V8's own message gives the position only sometimes.

export type JsonErrorPlace = {
  /** Starts at 1. */
  readonly line: number
  /** Starts at 1; in characters. */
  readonly column: number
  readonly expected: string
}

const SPACE = /[ \t\n\r]*/y
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const STRING = /"(?:[^"\\\u0000-\u001f]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y

/** `text` is not JSON. Keeps its own stack, so that deep nesting does not overflow the call stack. */
export const findJsonError = (text: string): JsonErrorPlace => {
  const open: ('object' | 'array')[] = []
  let at = 0
  let expects: 'value' | 'value or ]' | 'name' | 'name or }' | 'separator' = 'value'

  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found === null || found[0] === '') return false
    at += found[0].length
    return true
  }
  const skipString = (): boolean => {
    skip(STRING)
    if (text[at] !== '"') return false
    at += 1
    return true
  }
  const close = (): void => {
    open.pop()
    at += 1
    expects = 'separator'
  }

  for (;;) {
    skip(SPACE)
    const next = text[at]
    const inside = open.at(-1)
    if (expects === 'separator') {
      if (next === ',' && inside !== undefined) {
        at += 1
        expects = inside === 'object' ? 'name' : 'value'
      } else if (next === (inside === 'object' ? '}' : ']') && inside !== undefined) close()
      else return place(text, at, inside === undefined ? 'the end' : inside === 'object' ? '"," or "}"' : '"," or "]"')
    } else if (expects === 'name' || expects === 'name or }') {
      if (next === '}' && expects === 'name or }') {
        close()
        continue
      }
      if (next !== '"')
        return place(text, at, expects === 'name' ? 'a name in double quotes' : 'a name in double quotes or "}"')
      if (!skipString()) return place(text, at, endOfString(text, at))
      skip(SPACE)
      if (text[at] !== ':') return place(text, at, '":"')
      at += 1
      expects = 'value'
    } else if (next === '{' || next === '[') {
      open.push(next === '{' ? 'object' : 'array')
      at += 1
      expects = next === '{' ? 'name or }' : 'value or ]'
    } else if (next === ']' && expects === 'value or ]') close()
    else if (next === '"') {
      if (!skipString()) return place(text, at, endOfString(text, at))
      expects = 'separator'
    } else if (skip(SCALAR)) expects = 'separator'
    else return place(text, at, expects === 'value' ? 'a value' : 'a value or "]"')
  }
}

const endOfString = (text: string, at: number): string =>
  text[at] === '\\' ? 'an escape such as \\n or \\u0041' : 'the closing quote of the text'

const place = (text: string, at: number, expected: string): JsonErrorPlace => {
  const before = text.slice(0, at)
  const line = before.split('\n').length
  return { line, column: at - (before.lastIndexOf('\n') + 1) + 1, expected }
}
