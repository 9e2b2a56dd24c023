// Notices that a package manager, or the user, has put another version of the app in the place of the running one. The running
// one then starts child processes of the other version.

import { statSync } from 'node:fs'

/** Answers whether `file` is another one than at the call. One that is gone is not replaced: the new one may come. */
export const watchReplacement = (file: string): (() => boolean) => {
  const before = identityOf(file)
  return () => {
    const now = identityOf(file)
    return before !== undefined && now !== undefined && now !== before
  }
}

const identityOf = (file: string): string | undefined => {
  try {
    const { ino, size, mtimeMs } = statSync(file)
    return `${ino} ${size} ${mtimeMs}`
  } catch {
    return undefined
  }
}
