import { timingSafeEqual } from 'node:crypto'

/** Takes as long wherever texts of the same length differ, so that nobody finds one part by part. */
export const isSameSecret = (given: string, expected: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
