/** Which row a key leads to from another one; undefined for keys that lead nowhere. Pure. */
export const rowAfterKey = (key: string, row: number, count: number, pageRows: number): number | undefined => {
  switch (key) {
    case 'ArrowDown':
      return Math.min(row + 1, count - 1)
    case 'ArrowUp':
      return Math.max(row - 1, 0)
    case 'PageDown':
      return Math.min(row + pageRows, count - 1)
    case 'PageUp':
      return Math.max(row - pageRows, 0)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}
