import { statSync } from 'node:fs'

/** Whether there is no folder at this path. */
export const isMissing = (path: string): boolean => {
  try {
    return !statSync(path).isDirectory()
  } catch {
    return true
  }
}
