/** For each series the sums of its values and those of all later ones: the tops of bars that stand on each other. */
export const stacked = (series: readonly (readonly number[])[]): readonly (readonly number[])[] => {
  const tops: number[][] = []
  for (const values of series.toReversed()) {
    const below = tops.at(-1)
    tops.push(values.map((value, index) => value + (below?.[index] ?? 0)))
  }
  return tops.toReversed()
}
