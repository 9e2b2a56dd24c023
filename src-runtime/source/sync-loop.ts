// Looks when asked to, one look at a time, and once more when asked while looking. Requests that come close together
// are one: a save is often several changes.

export type SyncLoop = {
  /** Look, soon after the last request. */
  request(): void
  /** Look now. Settles after the look. */
  lookNow(): Promise<void>
  /** Waits for the look that is under way. */
  stop(): Promise<void>
}

/** `look` is told when it was first asked for (`performance.now()`), and answers after how many ms to look again. */
export type Look = (askedAt: number) => Promise<number | undefined>

const QUIET_MS = 25
/** Something that never stops changing is looked at all the same. */
const LONGEST_WAIT_MS = 250

export const createSyncLoop = (look: Look, onError: (error: unknown) => void): SyncLoop => {
  let askedAt: number | undefined
  let timer: NodeJS.Timeout | undefined
  let again: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let stopped = false

  const run = async (): Promise<void> => {
    clearTimeout(timer)
    clearTimeout(again)
    timer = undefined
    const asked = askedAt ?? performance.now()
    askedAt = undefined
    const againMs = await look(asked).catch((error: unknown) => {
      onError(error)
      return undefined
    })
    if (againMs !== undefined && !stopped) again = setTimeout(request, againMs)
  }

  const lookNow = async (): Promise<void> => {
    while (looking !== undefined) await looking
    if (stopped) return
    looking = run().finally(() => {
      looking = undefined
      if (askedAt !== undefined) arm()
    })
    await looking
  }

  const arm = () => {
    if (stopped || looking !== undefined) return
    clearTimeout(timer)
    const waited = performance.now() - (askedAt ?? 0)
    timer = setTimeout(() => void lookNow(), Math.max(0, Math.min(QUIET_MS, LONGEST_WAIT_MS - waited)))
  }

  const request = () => {
    askedAt ??= performance.now()
    arm()
  }

  return {
    request,
    lookNow,
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      clearTimeout(again)
      await looking
    },
  }
}
