import { hash } from 'node:crypto'

/** Shorter texts are not worth it. */
const LONG_CHARACTERS = 32 * 1024
const MOST = 1_000

/** Calls `of` once for each long text, such as one that many others contain. Keeps no texts. */
export const rememberedOfText = <Value>(of: (text: string) => Value): ((text: string) => Value) => {
  const known = new Map<string, { readonly value: Value }>()
  return (text) => {
    if (text.length < LONG_CHARACTERS) return of(text)
    const key = hash('sha256', text)
    const found = known.get(key) ?? { value: of(text) }
    if (known.size >= MOST) known.clear()
    known.set(key, found)
    return found.value
  }
}
