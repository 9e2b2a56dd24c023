// `node scripts/package/make-packages.ts [-- ARGUMENTS OF electron-builder]`: makes the packages of the desktop app for this system in
// `release`, from what `npm run build` made, signed if the environment names certificates. Needs a network.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parse } from 'yaml'
import { chooseFeed } from './feed.ts'
import { releaseFaults } from './release-faults.ts'
import { chooseSigning } from './signing.ts'

const ROOT = join(import.meta.dirname, '../..')

const makePackages = (): number => {
  const config = parse(readFileSync(join(ROOT, 'electron-builder.yml'), 'utf8')) as Parameters<typeof releaseFaults>[0]
  const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Parameters<typeof releaseFaults>[1]
  const faults = releaseFaults(config, own, process.env)
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) return 1

  const { args, unset, set, lines } = chooseSigning(process.platform, process.env)
  const feed = chooseFeed(process.env)
  for (const line of [...lines, feed.line]) console.log(line)
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !unset.includes(name)))
  const cli = createRequire(import.meta.url).resolve('electron-builder/cli.js')
  const { status, error } = spawnSync(
    process.execPath,
    [cli, '--publish', 'never', ...feed.args, ...args, ...process.argv.slice(2).filter((one) => one !== '--')],
    { cwd: ROOT, env: { ...env, ...set }, stdio: 'inherit' },
  )
  if (error !== undefined) throw error
  return status ?? 1
}

process.exitCode = makePackages()
