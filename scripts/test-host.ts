// Imported by the configuration of vitest. Tests start hundreds of Program hosts, as a bundle of `wes` does: one of the sources
// takes four times the processor time until it is ready. Builds the host if its sources have changed.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const CACHE = join(ROOT, 'node_modules/.cache/program-host')
const DAY_MS = 86_400_000
const INPUTS = [
  'src-runtime/{engine,sandbox,shared}/**/!(*.test|*.test-support).{ts,js}',
  'scripts/{build,.}/*.ts',
  'package-lock.json',
]

const hashOfInputs = (): string => {
  const hash = createHash('sha256').update(process.version)
  for (const path of globSync(INPUTS, { cwd: ROOT }).toSorted()) {
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(ROOT, path)))
  }
  return hash.digest('hex').slice(0, 16)
}

/** Another vitest may still use one of today's. */
const dropOld = (): void => {
  for (const name of readdirSync(CACHE)) {
    const folder = join(CACHE, name)
    if (statSync(folder).mtimeMs < Date.now() - DAY_MS) rmSync(folder, { recursive: true, force: true })
  }
}

const make = (made: string): void => {
  mkdirSync(CACHE, { recursive: true })
  dropOld()
  const draft = mkdtempSync(`${made}-`)
  const script = join(ROOT, 'scripts/build/build-test-host.ts')
  const { status } = spawnSync(process.execPath, [script, draft], { stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new Error('the Program host for the tests was not built')
  try {
    renameSync(draft, made)
  } catch (error) {
    if (!existsSync(made)) throw error
    rmSync(draft, { recursive: true, force: true }) // another vitest was faster
  }
}

const host = join(CACHE, hashOfInputs())
if (!existsSync(host)) make(host)
process.env['WES_TEST_HOST'] = join(host, 'src-runtime/sandbox')
