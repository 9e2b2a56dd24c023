export const percentile = (values: readonly number[], percent: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((percent / 100) * sorted.length))] ?? Number.NaN
}

export const median = (values: readonly number[]): number => {
  const sorted = values.filter(Number.isFinite).toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const [below, above] = [sorted[middle - 1], sorted[middle]]
  if (above === undefined) return Number.NaN
  return sorted.length % 2 === 1 || below === undefined ? above : (below + above) / 2
}
