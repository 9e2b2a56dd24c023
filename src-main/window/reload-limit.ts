const MINUTE_MS = 60_000

/** Whether one more reload is allowed; limited per minute, so that a crashing page is not reloaded forever. */
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
