import { setTimeout as sleep } from 'node:timers/promises'

export { sleep }

/** Polls until `check` returns true. An error counts as false. */
export const until = async (
  condition: () => Promise<boolean>,
  { every = 5, limit = 60_000, what }: { every?: number; limit?: number; what: string },
): Promise<void> => {
  const from = performance.now()
  let last: unknown
  while (performance.now() - from < limit) {
    try {
      if (await condition()) return
    } catch (error) {
      last = error
    }
    await sleep(every)
  }
  throw new Error(`timed out waiting for ${what}: ${last instanceof Error ? last.message : 'never true'}`)
}
