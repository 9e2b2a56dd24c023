// Exits with instructions if Node is too old; otherwise runs the given module in this process, so that it gets signals.
// Must run on old Node: no TypeScript, no new syntax.

import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(
    `This project needs Node 24 or newer; this is ${process.version}.\n` +
      'Run its scripts through npm after a plain `npm ci`: that installs Node 24 into node_modules/.bin and npm prefers it.\n' +
      'After `npm ci --ignore-scripts` that Node is missing: run `npm rebuild node`, or use a Node 24 of your own.',
  )
  process.exit(1)
}

const [self, entry, ...args] = process.argv.slice(1)
if (entry !== undefined && self !== undefined) {
  const { turnCompileCacheOn } = await import('../src-cli/compile-cache.mjs')
  turnCompileCacheOn()
  process.argv = [process.execPath, resolve(entry), ...args]
  await import(pathToFileURL(resolve(entry)).href)
}
