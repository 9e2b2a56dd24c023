// Keyboard navigation of a list.

/** The index that a key selects; undefined for other keys. Without a selection (-1), the first key selects an end. */
export const indexAfter = (key: string, index: number, count: number, page: number): number | undefined => {
  if (count === 0) return undefined
  const at = (next: number) => Math.min(Math.max(next, 0), count - 1)
  switch (key) {
    case 'ArrowDown':
      return at(index + 1)
    case 'ArrowUp':
      return index < 0 ? count - 1 : at(index - 1)
    case 'PageDown':
      return at(Math.max(index, 0) + page)
    case 'PageUp':
      return at(Math.max(index, 0) - page)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}
