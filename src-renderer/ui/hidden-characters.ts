// Characters that are invisible or turn the direction of the text around them: with them, a text may look like another
// one. Arabic and Hebrew text has none of them, but for the joiners between letters, which Persian needs.

const INVISIBLE = String.raw`[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]`

/** Scripts whose letters are written differently with joiners between them. */
const JOINED = String.raw`[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}]`
const PICTURE = String.raw`\p{Extended_Pictographic}`

/** What belongs to how letters and emoji are written. */
const ORDINARY = [
  String.raw`[\t\n]`,
  String.raw`\r(?=\n)`,
  String.raw`(?<=${JOINED})[\u200c\u200d](?=${JOINED})`,
  String.raw`(?<=${PICTURE}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=${PICTURE})`,
  String.raw`(?<=${PICTURE})[\ufe0e\ufe0f]`,
  String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
].join('|')

/** Each match is one character. */
export const HIDDEN = new RegExp(`(?!${ORDINARY})${INVISIBLE}`, 'gu')

/** `\u202e`, or `\u{e0041}`. */
export const escapeOf = (character: string): string => {
  const hex = character.codePointAt(0)!.toString(16)
  return hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`
}

/** For hints and titles, which have no style. */
export const withEscapes = (text: string): string => text.replace(HIDDEN, escapeOf)

/**
 * Where to draw the hidden characters of a text. Each is drawn alone, until there are more than `most`: then the last place is all the rest
 * of the text, because thousands of elements would take seconds to draw.
 */
export const placesOfHidden = (
  text: string,
  most: number,
): readonly { readonly from: number; readonly to: number }[] => {
  const places: { readonly from: number; readonly to: number }[] = []
  if (text.search(HIDDEN) === -1) return places
  for (const { index, 0: character } of text.matchAll(HIDDEN)) {
    if (places.length === most) return [...places, { from: index, to: text.length }]
    places.push({ from: index, to: index + character.length })
  }
  return places
}

/** For a name where text has several lines: what it may contain must not look like a text of its own. */
export const inOneLine = (name: string): string => withEscapes(name).replace(/[\t\n\r]/g, escapeOf)
