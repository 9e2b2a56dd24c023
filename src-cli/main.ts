// The `wes` process.

import './compile-cache.mjs'

const { run } = await import('./run.ts')
process.exitCode = await run(process.argv.slice(2))
