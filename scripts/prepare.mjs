// The last step of `npm install` and `npm ci`: builds what the README's commands need, so that they start fast. A failure
// does not fail the install, because each command builds what is missing. Must run on old Node: no TypeScript, no new
// syntax.

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const LIMIT_MS = 120_000

const run = (args) => {
  const { status, error } = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit', timeout: LIMIT_MS })
  return error === undefined && status === 0
}

const hasScript = (name) => name in JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts

/** A message about the failure; undefined for success. */
const prepare = () => {
  if (Number(process.versions.node.split('.')[0]) < 24) {
    return `Nothing was built: the build needs Node 24, and this is ${process.version}. \`npm rebuild node\` installs it.`
  }
  if (!['typescript', 'vite'].every((name) => existsSync(join(ROOT, 'node_modules', name)))) {
    return 'Nothing was built: the build needs the development packages.'
  }
  const npm = process.env.npm_execpath
  const built = run(['scripts/build/build.ts', '--if-stale', 'sdk', 'dashboard'])
  const bundled = npm === undefined || !hasScript('build:wes') || run([npm, 'run', '--silent', 'build:wes'])
  return built && bundled ? undefined : 'The build failed; `npm run build` tries again.'
}

const failure = prepare()
if (failure !== undefined) console.error(failure)
