/** At most so many characters from the beginning of a text, and no first half of a surrogate pair at their end. */
export const beginningOf = (text: string, characters: number): string => {
  if (text.length <= characters) return text
  const last = text.charCodeAt(characters - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? characters - 1 : characters)
}
