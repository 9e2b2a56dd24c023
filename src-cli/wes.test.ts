// The launcher, in its own checkout: which bundle it runs, and when it builds a new one.

import { execFile, execFileSync, type ExecFileException } from 'node:child_process'
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../src-runtime/shared/temporary-folder.test-support.ts'
import { V8_FLAGS } from '../src-runtime/sandbox/spawn-host.ts'

const ROOT = join(import.meta.dirname, '..')
const PARTS = [
  'src-cli',
  'src-hosted',
  'src-runtime',
  'src-sdk',
  'scripts',
  'resources',
  'package.json',
  'package-lock.json',
]

let checkout = ''

beforeAll(() => {
  checkout = realpathSync(mkdtempSync(join(tmpdir(), 'wes-checkout-')))
  for (const part of PARTS) cpSync(join(ROOT, part), join(checkout, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'))
})

afterAll(() => rmSync(checkout, { recursive: true, force: true }))

const run = (...args: string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [join(checkout, 'src-cli/wes.mjs'), ...args],
      (error: ExecFileException | null, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code), out, err })
      },
    )
  })

const bundles = (): string => join(checkout, 'out/wes')
const current = (): string => readFileSync(join(bundles(), 'current'), 'utf8')
const version = `${(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version}\n`

test('several processes that start at once in a fresh checkout build and run one bundle', async () => {
  const runs = await Promise.all([run('--version'), run('--version')])
  expect(runs).toEqual(runs.map(() => ({ code: 0, out: version, err: '' })))
  expect(readdirSync(bundles()).toSorted()).toEqual([current(), 'current'].toSorted())
})

test('a Program host gets code from its bundle that V8 takes', () => {
  const folder = join(bundles(), current(), 'src-runtime/sandbox')
  const module = new URL('../src-runtime/sandbox/host-script.ts', import.meta.url).href
  const text = `
    process.argv.push('shared')
    process.send = () => true
    const { runHostScript } = await import(${JSON.stringify(module)})
    process.stdout.write(String(runHostScript(${JSON.stringify(folder)}).cachedDataRejected))
    process.exit()`
  const flags = [...V8_FLAGS, '--no-warnings', '--input-type=module', '-e']
  expect(execFileSync(process.execPath, [...flags, text], { encoding: 'utf8' })).toBe('false')
})

test('a bundle is not rebuilt while the content of the sources stays the same', async () => {
  const before = statSync(join(bundles(), 'current')).mtimeMs
  utimesSync(join(checkout, 'src-cli/commands.ts'), new Date(), new Date())
  expect(await run('--version')).toEqual({ code: 0, out: version, err: '' })
  expect(statSync(join(bundles(), 'current')).mtimeMs).toBe(before)
})

test('a changed source runs at the next start, and older bundles stay for running processes', async () => {
  const first = current()
  const file = join(checkout, 'src-cli/commands.ts')
  writeFileSync(file, readFileSync(file, 'utf8').replace('run the local runtime', 'run the changed runtime'))
  expect((await run('--help')).out).toContain('run the changed runtime')
  expect(current()).not.toBe(first)
  expect(readdirSync(bundles())).toContain(first)
})

test('a file added to the project template is in the next bundle', async () => {
  writeFileSync(join(checkout, 'src-cli/new/template/programs/more.ts'), '')
  await run('--version')
  expect(readdirSync(join(bundles(), current(), 'src-cli/new/template/programs'))).toContain('more.ts')
})

test('an error in the sources is printed, and no older bundle runs', async () => {
  const file = join(checkout, 'src-cli/commands.ts')
  const before = readFileSync(file, 'utf8')
  appendFileSync(file, 'const = 1\n')
  const { code, out, err } = await run('--version')
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toContain('src-cli/commands.ts')
  writeFileSync(file, before)
  expect(await run('--version')).toEqual({ code: 0, out: version, err: '' })
})

test('an incomplete bundle is rebuilt', async () => {
  rmSync(join(bundles(), current(), 'main.js'))
  expect(await run('--version')).toEqual({ code: 0, out: version, err: '' })
})

describe('a bundle that cannot tell whether it is current is replaced', () => {
  const builder = (): string => join(checkout, 'scripts/bundle-wes.ts')
  let newest = ''
  // In place of a build of several seconds: names the bundle that was made last.
  beforeAll(() => {
    newest = current()
    const code = `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(join(bundles(), 'current'))}, '${newest}')\n`
    writeFileSync(builder(), code)
  })
  afterAll(() => cpSync(join(ROOT, 'scripts/bundle-wes.ts'), builder()))

  test.each([
    ['whose main.js exports other functions', 'main.js', ''],
    ['whose dev.cjs exports other functions', 'dev.cjs', ''],
    ['without the script of `wes dev`', 'dev.cjs', undefined],
  ])('%s', async (_what, name, content) => {
    const older = join(bundles(), 'older')
    cpSync(join(bundles(), newest), older, { recursive: true })
    if (content === undefined) rmSync(join(older, name))
    else writeFileSync(join(older, name), content)
    writeFileSync(join(bundles(), 'current'), 'older')
    const [command, said] = name === 'main.js' ? [['--version'], version] : [['dev', '--help'], 'Usage: wes dev']
    expect(await run(...command)).toEqual({ code: 0, out: expect.stringContaining(said), err: '' })
    expect(current()).toBe(newest)
  })
})

test('a checkout that pnpm has copied runs, without the files that packages never have', async () => {
  const copy = join(temporaryFolder('pnpm'), 'node_modules/workflow-execution-service-app')
  cpSync(checkout, copy, { recursive: true, filter: (path) => !path.endsWith('package-lock.json') })
  expect(await run('--version')).toEqual({ code: 0, out: version, err: '' })
  const wesOfCopy = join(copy, 'src-cli/wes.mjs')
  expect(execFileSync(process.execPath, [wesOfCopy, '--version'], { encoding: 'utf8' })).toBe(version)
})

test('a bundle without its sources runs', async () => {
  for (const part of ['src-runtime', 'src-sdk', 'scripts', 'src-cli/main.ts', 'src-cli/commands.ts', 'resources']) {
    rmSync(join(checkout, part), { recursive: true })
  }
  expect(await run('--version')).toEqual({ code: 0, out: version, err: '' })
  expect((await run('dev', '--help')).out).toContain('Usage: wes dev')
  expect((await run('new', 'project')).err).toContain('npm run build:sdk')
})
