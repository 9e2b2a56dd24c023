// The first reading of the project's source after the runtime has started. Until its end, a Program that is not there may
// still come.

export type FirstRead = {
  /** Waits for the end, and for 10 s at most after the start. Resolves to false if that was before. */
  wait(): Promise<boolean>
  /** The source has been read, or will not be. */
  end(): void
}

const LONGEST_WAIT_MS = 10_000

export const createFirstRead = (): FirstRead => {
  const ended = Promise.withResolvers<void>()
  let isOver = false
  const end = (): void => {
    isOver = true
    clearTimeout(timer)
    ended.resolve()
  }
  const timer = setTimeout(end, LONGEST_WAIT_MS).unref()
  return {
    wait: async () => {
      if (isOver) return false
      await ended.promise
      return true
    },
    end,
  }
}
