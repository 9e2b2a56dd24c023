// Node's compile cache, on before anything large is loaded: it halves the start-up time. Plain JavaScript, because
// TypeScript must itself be compiled before it could help.

const { enableCompileCache, flushCompileCache, constants } = process.getBuiltinModule('node:module')
const { homedir } = process.getBuiltinModule('node:os')
const { join } = process.getBuiltinModule('node:path')

/** By then a start is over, and what it used is compiled. */
const FLUSH_AFTER_MS = 3_000

/** The user's own folder: the default, below /tmp, could be filled by somebody else. */
const ofUser = () => join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'wes', 'compile-cache')

/** In `folder`, where it goes with what it belongs to, or in the user's own where that cannot be written. */
export const turnCompileCacheOn = (folder) => {
  const { status } = enableCompileCache(process.env.NODE_COMPILE_CACHE || folder || ofUser())
  if (status === constants.compileCacheStatus.FAILED) enableCompileCache(ofUser())
  // It is written when a process ends by itself; runtimes are often killed. Writes nothing that is there already.
  setTimeout(() => flushCompileCache(), FLUSH_AFTER_MS).unref()
}
