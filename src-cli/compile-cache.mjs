// Turns on Node's compile cache before large modules are loaded, which halves the start-up time. Plain JavaScript,
// because TypeScript would have to be compiled first.

const { enableCompileCache, flushCompileCache, constants } = process.getBuiltinModule('node:module')
const { homedir } = process.getBuiltinModule('node:os')
const { join } = process.getBuiltinModule('node:path')

/** By then the start is over, and all that it used is compiled. */
const FLUSH_AFTER_MS = 3_000

/** The user's own folder, because other users can write to Node's default below /tmp. */
const ofUser = () => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'wes', 'compile-cache')

/** Uses `folder`, or the user's own folder if `folder` is not writable. */
export const turnCompileCacheOn = (folder) => {
  const { status } = enableCompileCache(process.env.NODE_COMPILE_CACHE || folder || ofUser())
  if (status === constants.compileCacheStatus.FAILED) enableCompileCache(ofUser())
  // Node writes the cache only when a process exits normally, and runtimes are often killed.
  setTimeout(() => flushCompileCache(), FLUSH_AFTER_MS).unref()
}
