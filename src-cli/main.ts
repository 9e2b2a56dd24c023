// The `wes` process. As little as possible happens before the compile cache is on: it halves the start-up time.

import { enableCompileCache } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'

const cacheHome = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
// The user's own folder: the default, below /tmp, could be filled by somebody else.
enableCompileCache(process.env['NODE_COMPILE_CACHE'] || join(cacheHome, 'wes', 'compile-cache'))

const { run } = await import('./run.ts')
process.exitCode = await run(process.argv.slice(2))
