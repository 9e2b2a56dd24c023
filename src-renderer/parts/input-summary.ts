// The input of an Execution in one line: the beginning of its JSON.

/** Matches a string (perhaps cut off), the colon after a name, or a comma. */
const TOKEN = /"((?:[^"\\]|\\.)*)(?:"|$)(\s*:)?|,\s*/g

/**
 * JSON that may be cut off without the outer braces and quotes: `orderId: x-7, cents: 4200`. In parts, of which those at odd
 * places are its strings.
 */
export const readablePreview = (json: string): readonly string[] => {
  const body = json.startsWith('{') ? json.slice(1).replace(/\}$/, '') : json
  const parts: string[] = []
  let between = ''
  let end = 0
  for (const { 0: token, 1: text, 2: colon, index } of body.matchAll(TOKEN)) {
    between += body.slice(end, index)
    end = index + token.length
    if (text === undefined) {
      between += ', '
    } else {
      parts.push(between, text)
      between = colon === undefined ? '' : ': '
    }
  }
  return [...parts, between + body.slice(end)]
}
