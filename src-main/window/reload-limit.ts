const MINUTE_MS = 60_000

/** Says whether it may happen once more: so many times a minute, so that a page that crashes at once is not a loop. */
export const atMostPerMinute = (times: number, now: () => number): (() => boolean) => {
  let happened: readonly number[] = []
  return () => {
    const at = now()
    happened = happened.filter((earlier) => at - earlier < MINUTE_MS)
    if (happened.length >= times) return false
    happened = [...happened, at]
    return true
  }
}
