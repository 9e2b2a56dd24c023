import { statSync } from 'node:fs'
import { isOfPath } from '../../src-runtime/shared/stat-of.ts'

/** Whether there is no folder at this path. False if the system does not tell. */
export const isMissing = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true
  } catch (error) {
    return isOfPath(error)
  }
}
