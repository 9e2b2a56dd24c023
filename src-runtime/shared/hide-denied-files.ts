// Node's `existsSync` throws where a process may not look, which no package expects: `exists` says that nothing is there.

import fs from 'node:fs'

/** `syncBuiltinESMExports` must follow. */
export const hideDeniedFiles = (): void => {
  const { existsSync } = fs
  fs.existsSync = (path) => {
    try {
      return existsSync(path)
    } catch {
      return false
    }
  }
}
