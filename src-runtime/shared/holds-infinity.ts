/** Whether JSON holds a number that is too large, which JSON.parse reads as Infinity. `value`: as parsed from `text`. */
export const holdsInfinity = (text: string, value: unknown): boolean => {
  if (!mayOverflow(text)) return false
  const left = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next === 'number' && !Number.isFinite(next)) return true
    if (typeof next === 'object' && next !== null) for (const member of Object.values(next)) left.push(member)
  }
  return false
}

/** A number needs an exponent of three digits or hundreds of digits to be too large; most texts have neither. */
const mayOverflow = (text: string): boolean => /\d[eE]\+?\d{3}|\d{200}/.test(text)
