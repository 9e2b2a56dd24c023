// `node scripts/package/make-packages.ts`: makes the packages of the desktop app for this system in `release`, from what `npm run
// build` made, signed if the environment names certificates. Needs a network.

import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { chooseSigning } from './signing.ts'

const { args, unset, set, lines } = chooseSigning(process.platform, process.env)
for (const line of lines) console.log(line)
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !unset.includes(name)))
const cli = createRequire(import.meta.url).resolve('electron-builder/cli.js')
const { status } = spawnSync(process.execPath, [cli, '--publish', 'never', ...args], {
  env: { ...env, ...set },
  stdio: 'inherit',
})
process.exitCode = status ?? 1
