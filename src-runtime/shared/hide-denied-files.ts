// Node's `existsSync` throws where a process may not look, which no package expects: `exists` says that nothing is there.

/** `syncBuiltinESMExports` must follow. */
export const hideDeniedFiles = (): void => {
  // The module itself: in a bundle, an import is an object that only inherits from it.
  const fs = process.getBuiltinModule('node:fs')
  const { existsSync } = fs
  fs.existsSync = (path) => {
    try {
      return existsSync(path)
    } catch {
      return false
    }
  }
}
