// Finds the name that somebody who misspelled one may have meant.

/** The nearest of `names`, if few letters differ. */
export const nearName = (wanted: string, names: readonly string[]): string | undefined => {
  const most = wanted.length < 4 ? 1 : 2
  const [nearest] = names
    .map((name) => ({ name, distance: distanceOf(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ distance }) => distance <= most)
    .toSorted((a, b) => a.distance - b.distance)
  return nearest?.name
}

/** Letters left out, added or replaced, or two that changed places. */
const distanceOf = (a: string, b: string): number => {
  let before: readonly number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row += 1) {
    const next = [row]
    for (let column = 1; column <= b.length; column += 1) {
      const isSame = a[row - 1] === b[column - 1]
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      next.push(
        Math.min(
          last[column]! + 1,
          next[column - 1]! + 1,
          last[column - 1]! + (isSame ? 0 : 1),
          isSwapped ? before[column - 2]! + 1 : Infinity,
        ),
      )
    }
    before = last
    last = next
  }
  return last[b.length]!
}
