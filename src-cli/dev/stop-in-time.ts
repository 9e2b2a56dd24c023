// Stops what a command runs, and ends the process if that takes too long.

/** For what has stopped to close its last handles. */
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
  setTimeout(() => process.exit(), EXIT_LIMIT_MS).unref()
  return 0
}
