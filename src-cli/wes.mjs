#!/usr/bin/env node
// The `wes` command: runs the newest bundle of the command line in out/wes, and builds it first if it is missing or the
// sources have changed. Plain JavaScript, because stripping types costs time and memory, and because it must start on
// old Node to say that it needs a newer one. `getBuiltinModule` loads less than `import` does.

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `wes needs Node 24 or newer; this is ${process.version}. npm scripts of a new project bring their own; with pnpm, run \`pnpm approve-builds node\` first.`,
  )
  process.exit(1)
}

// Node would warn on standard error that it ignores NO_COLOR.
if (process.env.NO_COLOR) delete process.env.FORCE_COLOR

const { runScript, turnCompileCacheOn } = await import('./compile-cache.mjs')
const { readFileSync } = process.getBuiltinModule('node:fs')
const { join } = process.getBuiltinModule('node:path')
const { pathToFileURL } = process.getBuiltinModule('node:url')

/** For what closes by itself. */
const EXIT_LIMIT_MS = 250

const root = join(import.meta.dirname, '..')
const bundles = join(root, 'out', 'wes')
const args = process.argv.slice(2)

/** Undefined if there is no bundle, or an incomplete one. */
const load = async () => {
  try {
    const bundle = join(bundles, readFileSync(join(bundles, 'current'), 'utf8'))
    const cache = join(bundle, 'cache')
    turnCompileCacheOn(cache)
    if (args[0] === 'dev') return runScript(join(bundle, 'dev.cjs'), cache)
    return await import(pathToFileURL(join(bundle, 'main.js')).href)
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}

/** In a separate process, so that its memory is freed before the command runs. */
const make = () => {
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const script = join(root, 'scripts', 'bundle-wes.ts')
  const { status } = spawnSync(process.execPath, [script], { stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(1)
}

// A bundle that is older than this file may lack the function.
let exitCode = await (await load())?.runIfCurrent?.(args)
if (exitCode === undefined) {
  make()
  exitCode = await (await load()).run(args)
}
process.exitCode = exitCode
// The command has ended. Node would wait for what closes late: for ten seconds for a connection that nobody answers.
setTimeout(() => process.exit(), EXIT_LIMIT_MS).unref()
