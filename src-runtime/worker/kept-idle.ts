// Which parked Executions stay in memory: their next event or timer often comes soon.

const MOST_KEPT = 256
/** Of all of them; each takes some 200 bytes here, without its payload. */
const MOST_BUFFERED_EVENTS = 50_000

/** `onDropped` gets the key of the one that was idle for longest. */
export const createKeptIdle = (onDropped: (key: number) => void) => {
  /** The numbers of buffered events, by key, the longest idle first. */
  const buffered = new Map<number, number>()
  let events = 0

  const remove = (key: number): void => {
    events -= buffered.get(key) ?? 0
    buffered.delete(key)
  }

  return {
    add: (key: number, bufferedEvents: number): void => {
      remove(key)
      buffered.set(key, bufferedEvents)
      events += bufferedEvents
      for (const oldest of buffered.keys()) {
        if (buffered.size <= MOST_KEPT && events <= MOST_BUFFERED_EVENTS) return
        remove(oldest)
        onDropped(oldest)
      }
    },
    remove,
  }
}
