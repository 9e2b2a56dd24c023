// A process that owns a data directory until it is killed. Prints one line: whether it got the lock. Asks for it at the
// given time, if there is one, in ms since the epoch.

import { openDataDirectory } from '../data-directory/data-directory.ts'

const directory = process.argv[2]
const at = Number(process.argv[3] ?? 0)
while (Date.now() < at);
if (directory === undefined) throw new Error('the data directory is missing')
try {
  openDataDirectory(directory)
  process.stdout.write('owned\n')
  // Only the timer keeps the process alive, and nothing refers to the lock any more.
  setInterval(() => globalThis.gc?.(), 50)
} catch (error) {
  process.stdout.write(`${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}\n`)
}
