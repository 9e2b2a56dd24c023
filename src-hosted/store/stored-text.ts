// PostgreSQL cannot store the character U+0000. JSON text never has it, but names, labels and code may. It is stored as
// two characters, of which the first is not assigned in Unicode.

const MARK = '\u{10FFFE}'
const NEEDS_MARK = /[\0\u{10FFFE}]/gu
const MARKED = /\u{10FFFE}([01])/gu

export const toStored = (text: string): string =>
  text.includes('\0') || text.includes(MARK)
    ? text.replaceAll(NEEDS_MARK, (found) => MARK + (found === '\0' ? '0' : '1'))
    : text

export const fromStored = (text: string): string =>
  text.includes(MARK) ? text.replaceAll(MARKED, (_, kind) => (kind === '0' ? '\0' : MARK)) : text
