#!/usr/bin/env node
// `wes` as a command: in projects that are linked to this folder, or after `npm link`. Must itself run on old Node.

if (Number(process.versions.node.split('.')[0]) < 24) {
  console.error(`wes needs Node 24 or newer; this is ${process.version}. npm scripts of a new project bring their own.`)
  process.exit(1)
}
await import('./main.ts')
