// Stops what a command runs, and ends the process if that takes too long.

/** wes.mjs leaves as long to what closes by itself. */
const EXIT_LIMIT_MS = 250

/** `what`: its name in the message. Resolves with the exit code. */
export const stopInTime = async (what: string, stop: () => Promise<void>, limitMs: number): Promise<number> => {
  const late = setTimeout(() => {
    const limit = `${limitMs / 1000} s`
    process.stderr.write(`wes: the ${what} did not stop within ${limit} and was ended; nothing acknowledged is lost\n`)
    process.exit(1)
  }, limitMs - EXIT_LIMIT_MS)
  await stop()
  clearTimeout(late)
  return 0
}
