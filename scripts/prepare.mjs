// What `npm install` and `npm ci` do last: build what the README's commands need, so that those start at once. An
// install is good without it, because each command looks for itself; so this only ever says what it could not do. Must
// itself run on old Node: no TypeScript, no new syntax.

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

/** What was not done, and why; undefined when all is there. */
const prepare = () => {
  if (Number(process.versions.node.split('.')[0]) < 24) {
    return `Nothing was built: that needs Node 24, this is ${process.version}. \`npm rebuild node\` installs it.`
  }
  if (!['typescript', 'vite'].every((name) => existsSync(join(ROOT, 'node_modules', name)))) {
    return 'Nothing was built: that needs the development packages.'
  }
  const npm = process.env.npm_execpath
  const built = run(['scripts/build/build.ts', '--if-stale', 'sdk', 'dashboard'])
  const bundled = npm === undefined || !hasScript('build:wes') || run([npm, 'run', '--silent', 'build:wes'])
  return built && bundled ? undefined : 'Not everything could be built; `npm run build` tries again.'
}

const failure = prepare()
if (failure !== undefined) console.error(failure)
