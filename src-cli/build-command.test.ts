// Builds and deploys real projects, with a real runtime.

import { spawnSync } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createRuntime } from '#runtime/create-runtime.ts'
import type { Runtime } from '#runtime/shared/runtime.ts'
import { temporaryFolder } from '#runtime/shared/temporary-folder.test-support.ts'
import { json } from '../src-sdk/scripted-server.test-support.ts'
import { checkingPrograms } from './check-programs.ts'
import { runsAgainst } from './runs-against.test-support.ts'
import { shellWord } from './shell-word.ts'
import { wesHere } from './wes-here.test-support.ts'
import { wes, type WesRun } from './wes.test-support.ts'

const program = (id: string, body = 'return 1'): string =>
  `import { defineProgram } from 'workflow-execution-service'\nexport default defineProgram({ id: '${id}' }, async (ctx) => {\n  ${body}\n})\n`

const projectWith = async (files: Readonly<Record<string, string>>): Promise<string> => {
  const folder = await realpath(temporaryFolder('build'))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return folder
}

const LARGE = {
  'node_modules/rates/package.json': '{ "name": "rates", "main": "table.js" }',
  'node_modules/rates/table.js': `exports.table = '${'x'.repeat(17 * 1024 * 1024)}'`,
  'programs/large.effects.ts': "import { table } from 'rates'\nexport const size = async () => table.length\n",
  'programs/large.ts': `import { size } from './large.effects.ts'\n${program('large', 'return size()')}`,
  'programs/small.ts': program('small'),
}

/** Every command takes these. */
const SERVICE = ['--url', 'http://localhost:1', '--token', 'wes_x', '--project-id', 'p']

describe('wes build', () => {
  it('writes an artifact for each Program, and the same one each time', async () => {
    const cwd = await projectWith({ 'programs/a.ts': program('first'), 'programs/in/b.ts': program('second') })
    const run = await wesHere(['build'], { cwd })
    expect(run).toEqual({
      code: 0,
      out: 'built first dist/first.program.json\nbuilt second dist/second.program.json\n',
      err: '',
    })
    const written = await readFile(join(cwd, 'dist/first.program.json'), 'utf8')
    expect(JSON.parse(written)).toMatchObject({ format: 'wes.program/1', id: 'first' })
    await wesHere(['build'], { cwd })
    expect(await readFile(join(cwd, 'dist/first.program.json'), 'utf8')).toBe(written)
  })

  it('removes what a build that was killed has left, and nothing else', async () => {
    const cwd = await projectWith({ 'programs/a.ts': program('first') })
    await mkdir(join(cwd, 'dist'))
    const { pid } = spawnSync(process.execPath, ['--version'])
    const running = `gone.program.json.${process.ppid}.0a-1b.tmp`
    for (const name of [
      `first.program.json.${pid}.0a-1b.tmp`,
      `gone.program.json.${pid}.0a-1b.tmp`,
      running,
      `notes.${pid}.tmp`,
    ])
      await writeFile(join(cwd, 'dist', name), '{')
    expect((await wesHere(['build'], { cwd })).code).toBe(0)
    expect((await readdir(join(cwd, 'dist'))).toSorted()).toEqual(
      ['first.program.json', running, `notes.${pid}.tmp`].toSorted(),
    )
  })

  it('says which artifacts it has left, such as those of deleted Programs', async () => {
    const cwd = await projectWith({ 'programs/a.ts': program('kept'), 'programs/b.ts': program('gone') })
    await wesHere(['build'], { cwd })
    await rm(join(cwd, 'programs/b.ts'))
    expect(await wesHere(['build'], { cwd })).toEqual({
      code: 0,
      out: 'built kept dist/kept.program.json\n',
      err: 'left dist/gone.program.json: no Program of this project has its id\n',
    })
  })

  it('accepts --project and --out, and prints JSON', async () => {
    const project = await projectWith({ 'programs/a.ts': program('first') })
    const cwd = await projectWith({})
    const { code, out } = await wesHere(['build', '--project', project, '--out', 'deep/er', '--json', ...SERVICE], {
      cwd,
    })
    expect(code).toBe(0)
    expect(JSON.parse(out)).toEqual({
      items: [{ id: 'first', path: 'programs/a.ts', file: join(cwd, 'deep/er/first.program.json') }],
    })
    expect(await readdir(join(cwd, 'deep/er'))).toEqual(['first.program.json'])
  })

  it('shows each error with its source line, and writes no files', async () => {
    const cwd = await projectWith({
      'programs/a.ts': program('first'),
      'programs/b.ts': program('second', 'return setTimeout(() => {}, 5)'),
    })
    const { code, out, err } = await wesHere(['build'], { cwd })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain('programs/b.ts:3:10')
    expect(err).toMatch(/> 3 \| {3}return setTimeout/)
    expect(err).toMatch(/wes: nothing was built: there is 1 error\n$/)
    expect(await readdir(cwd)).toEqual(['programs'])
    const asJson = await wesHere(['build', '--json'], { cwd })
    expect(asJson).toMatchObject({ code: 1, err })
    expect(JSON.parse(asJson.out)).toEqual({
      error: { code: 'build_failed', message: expect.stringContaining('programs/b.ts:3:10') },
    })
  })

  it('says why it has found no Programs', async () => {
    const cwd = await projectWith({
      'wes.config.json': '{ "programs": "flows/*.ts" }',
      'flows/a.tsx': program('a'),
    })
    const { code, err } = await wesHere(['build'], { cwd })
    expect({ code, lines: err.split('\n').slice(0, 3) }).toEqual({
      code: 1,
      lines: [
        'warning wes.config.json: "flows/*.ts" in "programs" matches no module',
        'warning flows/a.tsx calls defineProgram, but is not read because of its ending: rename it, or name it in "programs" of wes.config.json',
        'wes: . has no Programs',
      ],
    })
  })

  it('checks schemas as a service does that the Programs are deployed to', async () => {
    const withInput = program('first').replace("{ id: 'first' }", "{ id: 'first', input: { type: 'strin' } }")
    const cwd = await projectWith({ 'programs/a.ts': withInput })
    const { code, err } = await wesHere(['build'], { cwd })
    expect(code).toBe(1)
    expect(err).toMatch(/^error programs\/a\.ts:2:\d+ manifest\/inputSchema\/type must be one of null, boolean/)
    expect(await readdir(cwd)).toEqual(['programs'])
  })

  it('loads each Program, and warns of packages that use what Programs do not have', async () => {
    const dependency = 'export const once = () => 1\nexport const later = (run) => setTimeout(run)\nlater.unit = "ms"\n'
    const cwd = await projectWith({
      'node_modules/dep/package.json': '{ "name": "dep", "type": "module", "main": "index.js" }',
      'node_modules/dep/index.js': dependency,
      'programs/a.ts': `import { once } from 'dep'\n${program('first', 'return once()')}`,
      'programs/b.ts': `const rates: any = {}\nconst rate = rates.eur.value\n${program('second', 'return rate')}`,
    })
    const failed = await wesHere(['build'], { cwd })
    expect(failed).toMatchObject({ code: 1, out: '' })
    expect(failed.err).toMatch(/^error programs\/b\.ts:2:14 The Program cannot be loaded: TypeError: .*'value'/)
    expect(failed.err).toContain('at <anonymous> (programs/b.ts:2:14)')
    expect(failed.err).not.toContain('program.js')
    await writeFile(join(cwd, 'programs/b.ts'), program('second'))
    expect(await wesHere(['build'], { cwd })).toMatchObject({
      code: 0,
      err: 'warning dep uses setTimeout, which Programs do not have: the parts of dep that need it fail\n  imported through programs/a.ts → node_modules/dep/index.js\n',
    })
  })

  it('loads effects without what Node’s permissions do not deny, in its bundle too', async () => {
    const cwd = await projectWith({
      'node_modules/dep/package.json': '{ "name": "dep", "main": "index.js" }',
      'node_modules/dep/data.json': '{}',
      // It would be refused for what works here, because it fails without its file alone.
      'node_modules/dep/index.js': `const { existsSync } = require('fs')
const can = (work) => { try { work(); return true } catch { return false } }
const works = [
  can(() => require('v8').setFlagsFromString('--no-opt')),
  can(() => new (require('node:sqlite').DatabaseSync)(':memory:')),
  can(() => require('dns').lookup('localhost', () => {})),
  !can(() => existsSync('/etc/passwd')),
]
if (works.includes(true) && !existsSync(__dirname + '/data.json')) throw new Error(works.join())
exports.once = () => 1`,
      'programs/a.effects.ts': "import { once } from 'dep'\nexport const run = async () => once()\n",
      'programs/a.ts': `import { run } from './a.effects.ts'\n${program('first', 'return run()')}`,
    })
    expect(await wes(['build'], { cwd })).toMatchObject({ code: 0, err: '' })
  })

  it('exits by itself at a signal while it loads Programs, which kills a Program that does not end', async () => {
    const system = Object.assign(new EventEmitter(), { exit: vi.fn() })
    await checkingPrograms(async () => system.emit('SIGINT', 'SIGINT'), system)
    expect(system.exit).toHaveBeenCalledExactlyOnceWith(130)
    expect(system.eventNames()).toEqual([])
  })

  it('fails without Programs or without the folder', async () => {
    const cwd = await projectWith({})
    const empty = await wesHere(['build'], { cwd })
    expect(empty).toMatchObject({
      code: 1,
      err: expect.stringContaining('name `.tsx` or `.js` modules there. `wes new` creates a project'),
    })
    const asJson = await wesHere(['build', '--json'], { cwd })
    expect(asJson).toMatchObject({ code: 1, out: expect.stringContaining('"no_programs"'), err: empty.err })
    expect(await wesHere(['build', '--project', 'nowhere'], { cwd })).toEqual({
      code: 2,
      out: '',
      err: 'wes: --project: nowhere is not a folder\n',
    })
    expect((await wesHere(['build', 'surplus'], { cwd })).code).toBe(2)
    expect(await readdir(cwd)).toEqual([])
  })

  it('says which artifacts are too large to be deployed', async () => {
    const cwd = await projectWith(LARGE)
    expect(await wesHere(['build'], { cwd })).toEqual({
      code: 0,
      out: 'built large dist/large.program.json\nbuilt small dist/small.program.json\n',
      err: 'large cannot be deployed: its artifact is larger than 16 MiB, most of all because of rates: import only the parts that the effects use, which some packages also offer as packages of their own, such as @googleapis/drive in place of googleapis, or use a smaller package\n',
    })
  })

  it.each([
    ['out', 'it is a file, not a folder'],
    ['out/deeper', 'a part of its path is a file, not a folder'],
  ])('says why it cannot write to %s', async (out, reason) => {
    const cwd = await projectWith({ 'programs/a.ts': program('first'), out: 'a file' })
    expect(await wesHere(['build', '--out', out], { cwd })).toEqual({
      code: 1,
      out: '',
      err: `wes: cannot write to ${out}: ${reason}\n`,
    })
  })
})

describe('wes deploy, in a project', () => {
  let dataDir: string
  let runtime: Runtime
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'wes-deploy-'))
    runtime = await createRuntime({ dataDir, port: 0, projectFolder: dataDir, log: pino({ level: 'silent' }) })
  })
  afterAll(async () => {
    await runtime.stop()
    await rm(dataDir, { recursive: true })
  })

  const onRuntime = (args: readonly string[], cwd: string, run = wesHere): Promise<WesRun> =>
    run(args, { cwd, env: { SERVICE_RUNTIME_URL: runtime.url } })

  it('builds, uploads, and leaves no files behind', async () => {
    const cwd = await projectWith({ 'programs/a.ts': program('one'), 'programs/b.ts': program('two', 'return 2') })
    // In a process of its own, which has to end by itself.
    expect(await onRuntime(['deploy'], cwd, wes)).toEqual({
      code: 0,
      out: 'deployed one version 1\ndeployed two version 1\n',
      err: '',
    })
    expect((await onRuntime(['deploy'], cwd)).out).toBe('unchanged one version 1\nunchanged two version 1\n')
    expect(await readdir(cwd)).toEqual(['programs'])
    const { out } = await onRuntime(['start', 'two', '--wait', '--json'], cwd)
    expect(JSON.parse(out)).toMatchObject({ status: 'completed', result: 2 })
  })

  it('warns as a build does, but not in JSON', async () => {
    const cwd = await projectWith({ 'programs/a.ts': program('hasty', "ctx.sleep('1h')") })
    const first = await onRuntime(['deploy'], cwd)
    expect(first).toMatchObject({ code: 0, out: 'deployed hasty version 1\n' })
    expect(first.err).toMatch(/^warning programs\/a\.ts:3:3 ctx\.sleep is called without await: .*\n$/)
    expect((await wesHere(['build'], { cwd })).err).toBe(first.err)
    expect((await onRuntime(['deploy', '--json'], cwd)).err).toBe('')
  })

  it('says which Program is too large', async () => {
    const { code, out, err } = await onRuntime(['deploy'], await projectWith(LARGE))
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(
      /^deploying large failed:\nwes: .*, most of all because of rates: import only the parts .*\. \(payload_too_large\)\n/,
    )
  })

  it('uploads nothing when one of them does not compile', async () => {
    const project = await projectWith({
      'programs/a.ts': program('good'),
      'programs/b.ts': program('bad', 'const = 1'),
    })
    const { code, out, err } = await onRuntime(['deploy', '--project', project], tmpdir())
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain('programs/b.ts:3:')
    expect((await onRuntime(['versions', 'good'], project)).code).toBe(1)
  })

  it('deploys to the project whose name is in wes.config', async () => {
    const cwd = await projectWith({
      'wes.config.json': '{ "project": "the $HOP", "programs": "flows/*.ts" }',
      'flows/a.ts': program('in-shop'),
    })
    const missing = await onRuntime(['deploy'], cwd)
    expect(missing).toMatchObject({
      code: 1,
      err: expect.stringContaining(`\`wes projects create ${shellWord('the $HOP')}\``),
    })
    const created = await onRuntime(['projects', 'create', 'the $HOP', '--json'], cwd)
    const { id } = JSON.parse(created.out) as { id: string }
    expect((await onRuntime(['deploy'], cwd)).out).toBe('deployed in-shop version 1\n')
    expect((await onRuntime(['programs', '--project-id', id, '--json'], cwd)).out).toContain('"in-shop"')
    expect((await onRuntime(['programs', '--json'], cwd)).out).not.toContain('"in-shop"')
  })

  it('deploys to the default project if wes.config names `default`, which is the id of none on a hosted service', async () => {
    const cwd = await projectWith({ 'wes.config.json': '{ "project": "default" }', 'programs/a.ts': program('good') })
    const deployed = json(201, { id: 'good', latestVersion: { number: 1, runnable: true, hasEffects: false } })
    const { out, server } = await runsAgainst('hosted')(deployed, ['deploy'], { cwd })
    expect(out).toBe('deployed good version 1\n')
    expect(server.seen.map(({ url, headers }) => [url, headers['x-service-project-id']])).toEqual([
      ['/v1/programs/deploy', 'default'],
    ])
  })

  it('deploys to a project of a runtime that requires a token', async () => {
    const data = await projectWith({})
    const log = pino({ level: 'silent' })
    const guarded = await createRuntime({ dataDir: data, port: 0, projectFolder: data, log, token: 'wes_dev_x' })
    onTestFinished(() => guarded.stop())
    const env = { SERVICE_RUNTIME_URL: guarded.url, WES_DATA_DIR: data }
    const { out } = await wesHere(['projects', 'create', 'the shop', '--json'], { env })
    const { id } = JSON.parse(out) as { id: string }
    const cwd = await projectWith({ 'wes.config.json': '{ "project": "the shop" }', 'programs/a.ts': program('sold') })
    expect(await wesHere(['deploy'], { cwd, env })).toEqual({ code: 0, out: 'deployed sold version 1\n', err: '' })
    expect(await wesHere(['deploy', '--project-id', id], { cwd, env })).toMatchObject({ code: 0 })
    expect((await wesHere(['programs', '--project-id', id, '--json'], { env })).out).toContain('"sold"')
  })

  it('uploads effects with their packages, which the local runtime stores and does not run', async () => {
    const cwd = await projectWith({
      'programs/a.ts': `import { defineProgram } from 'workflow-execution-service'
import { charge } from './a.effects.ts'
export default defineProgram({ id: 'charging' }, async () => charge())
`,
      'programs/a.effects.ts': `import { price } from 'prices'\nexport const charge = async () => price\n`,
      'node_modules/prices/package.json': '{ "name": "prices" }',
      'node_modules/prices/index.js': 'exports.price = "twelve"',
    })
    expect(await onRuntime(['deploy', '--project', cwd], tmpdir())).toEqual({
      code: 0,
      out: 'deployed charging version 1\n',
      err: 'charging version 1 is stored, but this service cannot run it: a local runtime runs effects from project source, with `wes dev` in its folder\n',
    })
    await wesHere(['build'], { cwd })
    const file = join(cwd, 'dist/charging.program.json')
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
      manifest: { effects: [{ name: 'charge' }] },
      effects: { code: expect.stringContaining('"twelve"'), sourceMap: expect.any(String) },
    })
    expect((await onRuntime(['deploy', file], cwd)).out).toBe('unchanged charging version 1\n')
    const start = await onRuntime(['start', 'charging', '--json'], cwd)
    expect(start.code).toBe(1)
    expect(JSON.parse(start.out)).toMatchObject({ error: { code: 'program_not_runnable' } })
  })

  it('accepts files or --project, not both', async () => {
    const cwd = await projectWith({ 'programs/a.ts': program('p') })
    expect(await onRuntime(['deploy', 'a.program.json', '--project', '.'], cwd)).toMatchObject({
      code: 2,
      err: expect.stringContaining('not both'),
    })
  })
})
