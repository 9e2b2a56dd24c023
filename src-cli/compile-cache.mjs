// Node's compile cache, on before anything large is loaded: it halves the start-up time. Plain JavaScript, because
// TypeScript must itself be compiled before it could help; and does nothing on a Node that has no such cache.

import module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

const cacheHome = process.env.XDG_CACHE_HOME || join(homedir(), '.cache')
/** The user's own folder: the default, below /tmp, could be filled by somebody else. */
const ofUser = join(cacheHome, 'wes', 'compile-cache')

/** In `folder`, where it goes with what it belongs to, or in the user's own where that cannot be written. */
export const turnCompileCacheOn = (folder) => {
  if (process.env.NODE_COMPILE_CACHE || folder === undefined) {
    module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE || ofUser)
    return
  }
  const enabled = module.enableCompileCache?.(folder)
  if (enabled?.status === module.constants?.compileCacheStatus.FAILED) module.enableCompileCache(ofUser)
}
