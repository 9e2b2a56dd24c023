import { build } from 'esbuild'
import { mkdirSync, readdirSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createEffectRig, until, type EffectRig } from './effect-project.test-support.ts'

let rig: EffectRig

const project = (options?: Parameters<typeof createEffectRig>[0]): EffectRig => {
  rig = createEffectRig(options)
  rig.write('package.json', '{"name":"shop","imports":{"#rates":"./rates.json"}}')
  rig.write('rates.json', '{"eur":1}')
  rig.write('node_modules/an-esm/package.json', '{"name":"an-esm","type":"module","exports":{".":"./index.js"}}')
  rig.write('node_modules/an-esm/index.js', 'export const hi = (name) => `hi ${name}`')
  rig.write('node_modules/a-cjs/package.json', '{"name":"a-cjs","version":"1.0.0","main":"./index.js"}')
  rig.write('node_modules/a-cjs/index.js', 'exports.add = (a, b) => a + b; exports.file = __filename')
  return rig
}

describe('the modules of a project', () => {
  it('resolve from its folder: ESM, CommonJS, JSON, its own imports, and require', async () => {
    project().deploy(
      'ver_1',
      `import { hi } from 'an-esm'
       import { add, file } from 'a-cjs'
       import rates from '#rates' with { type: 'json' }
       import { createRequire } from 'node:module'
       import { readFileSync } from 'node:fs'
       const require = createRequire(import.meta.url)
       export const all = async () => [
         hi('you'), add(1, 2), file, rates, require('a-cjs/package.json').version,
         (await import('an-esm')).hi('me'), readFileSync('rates.json', 'utf8'),
         readFileSync(new URL('./rates.json', import.meta.url), 'utf8'), import.meta.dirname, process.cwd(), import.meta.url,
       ]`,
    )
    const all = (await rig.result('all')) as readonly string[]
    expect(all.slice(0, 10)).toEqual([
      'hi you',
      3,
      join(rig.folder, 'node_modules/a-cjs/index.js'),
      { eur: 1 },
      '1.0.0',
      'hi me',
      '{"eur":1}',
      '{"eur":1}',
      rig.folder,
      rig.folder,
    ])
    expect(all[10]).toContain(pathToFileURL(rig.folder).href)
    // Nothing was written.
    expect(readdirSync(rig.folder).sort()).toEqual(['node_modules', 'package.json', 'rates.json'])
    expect(readdirSync(join(rig.folder, 'node_modules')).sort()).toEqual(['a-cjs', 'an-esm'])
  })

  it('may have native code', async () => {
    rig = createEffectRig()
    const sqlite = pathToFileURL(join(import.meta.dirname, '../../node_modules/better-sqlite3/lib/index.js')).href
    rig.write('node_modules/native/package.json', '{"name":"native","type":"module","exports":"./index.js"}')
    rig.write('node_modules/native/index.js', `export { default } from ${JSON.stringify(sqlite)}`)
    rig.deploy(
      'ver_1',
      `import Database from 'native'; export const sum = () => new Database(':memory:').prepare('select 1 + 2').pluck().get()`,
    )
    expect(await rig.result('sum')).toBe(3)
  })

  it('of several versions are loaded side by side, and equal ones are evaluated once', async () => {
    project()
    const counter = `let calls = 0; export const next = () => ++calls`
    rig.deploy('ver_1', counter)
    rig.deploy('ver_2', `${counter} + 100`)
    rig.deploy('ver_3', counter)
    const results = []
    for (const versionId of ['ver_1', 'ver_2', 'ver_1', 'ver_3', 'ver_2']) {
      results.push(await rig.result('next', 1, { versionId }))
    }
    expect(results).toEqual([1, 101, 2, 3, 102])
    expect(rig.hosts.status()).toHaveLength(1)
  })

  it('move to a new process if there are many versions', async () => {
    rig = createEffectRig({ limits: { bundlesPerHost: 3 } })
    const pids = []
    for (let version = 0; version < 6; version += 1) {
      rig.deploy(`ver_${version}`, `export const pid = () => process.pid // ${version}`)
      pids.push(await rig.result('pid', 1, { versionId: `ver_${version}` }))
    }
    expect(new Set(pids).size).toBe(2)
  })

  it('that are missing fail the attempt until they are installed', async () => {
    project().deploy('ver_1', `import { one } from 'not-yet'; export const get = () => one`)
    const { error, retryable } = await rig.failure('get')
    expect([retryable, error.code]).toEqual([true, 'effect_load_failed'])
    expect(error.message).toBe(`the effects of ${rig.folder} could not be loaded: Cannot find package 'not-yet'`)
    rig.write('node_modules/not-yet/package.json', '{"type":"module","exports":"./index.js"}')
    rig.write('node_modules/not-yet/index.js', 'export const one = 1')
    rig.write('node_modules/.package-lock.json', '{}')
    let outcome = await rig.perform('get')
    while (outcome.kind === 'failed') {
      await new Promise((resolve) => setTimeout(resolve, 50))
      outcome = await rig.perform('get')
    }
    expect(outcome.data).toBe('{"result":1}')
  })

  it('name the place in a linked package that Node cannot run, and say what to do', async () => {
    project()
    rig.write('packages/kinds/package.json', '{"type":"module","exports":"./index.ts"}')
    rig.write('packages/kinds/index.ts', 'export const one = 1\nexport enum Kind { a }\n')
    mkdirSync(join(rig.folder, 'node_modules'), { recursive: true })
    symlinkSync('../packages/kinds', join(rig.folder, 'node_modules/kinds'), 'dir')
    rig.deploy('ver_1', `import { Kind } from 'kinds'; export const get = () => Kind.a`)
    const { error } = await rig.failure('get')
    const file = join(realpathSync(rig.folder), 'packages/kinds/index.ts')
    expect(error.message).toContain(`could not be loaded: ${file}:2 TypeScript enum is not supported`)
    expect(error.message).toContain('Let the package export JavaScript, or write it without such syntax')
    expect((await rig.failure('get')).error.message).toBe(error.message)
  })

  it.each(['module', 'commonjs'])('name the file of a package that does not parse: %s', async (type) => {
    project()
    rig.write('node_modules/broken/package.json', JSON.stringify({ type, main: 'index.js' }))
    rig.write('node_modules/broken/index.js', type === 'module' ? `import './part.js'` : `require('./part.js')`)
    rig.write('node_modules/broken/part.js', '({')
    rig.deploy('ver_1', `import 'broken'; export const get = () => 1`)
    const { error } = await rig.failure('get')
    expect(error.message).toMatch(
      /could not be loaded: \S+node_modules.broken.part\.js(?::\d+)? Unexpected end of input$/,
    )
  })

  it('are loaded again, in a new process, when one of a linked package was changed', async () => {
    let passed = 0
    project({ now: () => performance.now() + passed })
    const lib = (text: string): void => rig.write('packages/lib/text.js', `export const text = '${text}'`)
    rig.write('packages/lib/package.json', '{"type":"module","exports":"./index.js"}')
    rig.write('packages/lib/index.js', `export { text } from './text.js'`)
    lib('one')
    mkdirSync(join(rig.folder, 'node_modules/@shop'))
    symlinkSync('../../packages/lib', join(rig.folder, 'node_modules/@shop/lib'), 'dir')
    rig.deploy('ver_1', `import { text } from '@shop/lib'; export const get = () => [text, process.pid]`)
    const [text, pid] = (await rig.result('get')) as [string, number]
    expect(text).toBe('one')
    // A build deletes its files before it writes them.
    rmSync(join(rig.folder, 'packages/lib/text.js'))
    passed = 200
    expect(await rig.result('get')).toEqual(['one', pid])
    lib('two')
    await expect.poll(() => rig.result('get'), { interval: 20 }).not.toEqual(['one', pid])
    const [newText, newPid] = (await rig.result('get')) as [string, number]
    expect([newText, newPid === pid]).toEqual(['two', false])
  })

  it('that throw, exit or do not parse fail the attempt, and the next attempt loads them again', async () => {
    project()
    rig.write('state.txt', 'bad')
    rig.deploy(
      'ver_1',
      `import { readFileSync } from 'node:fs'
       if (readFileSync('state.txt', 'utf8') === 'bad') throw new Error('no database')
       export const get = () => 'good'`,
    )
    rig.deploy('ver_2', 'process.exit(3); export const get = () => 1')
    rig.deploy('ver_3', 'export const get = (')
    rig.deploy('ver_4', 'export const get = () => "other"')
    const failed = await rig.failure('get')
    expect(failed).toMatchObject({ retryable: true, error: { code: 'effect_load_failed' } })
    expect(failed.error.message).toMatch(/could not be loaded: no database$/)
    expect(failed.error.stack).toMatch(/effects-\w+\.mjs:2/)
    expect((await rig.failure('get', 1, { versionId: 'ver_2' })).error.message).toMatch(/process\.exit\(3\) was called/)
    expect((await rig.failure('get', 1, { versionId: 'ver_3' })).error.message).toMatch(/Unexpected/)
    expect(await rig.result('get', 1, { versionId: 'ver_4' })).toBe('other')
    rig.write('state.txt', 'good')
    let outcome = await rig.perform('get')
    while (outcome.kind === 'failed') {
      await new Promise((resolve) => setTimeout(resolve, 100))
      outcome = await rig.perform('get')
    }
    expect(outcome.data).toBe('{"result":"good"}')
  })

  it('that do not finish loading fail only the attempt', async () => {
    project({ limits: { loadMs: 1_500 } })
    rig.deploy('ver_1', 'await new Promise(() => {}); export const get = () => 1')
    rig.deploy('ver_2', 'for (;;); export const get = () => 1')
    rig.deploy('ver_3', 'export const get = () => 3')
    const hung = rig.failure('get')
    expect(await rig.result('get', 1, { versionId: 'ver_3' })).toBe(3)
    expect((await hung).error.message).toMatch(/not evaluated within 1.5 s/)
    const spinning = await rig.failure('get', 1, { versionId: 'ver_2' })
    expect(spinning).toMatchObject({ retryable: true, error: { code: 'effect_load_failed' } })
    expect(spinning.error.message).toMatch(/not evaluated within 1.5 s/)
    expect(await rig.result('get', 1, { versionId: 'ver_3' })).toBe(3)
  })
})

describe('the environment of a project', () => {
  it('is the runtime’s without its secrets, and the folder’s .env takes precedence', async () => {
    project({
      environment: {
        PATH: process.env['PATH'],
        SHARED: 'runtime',
        SERVICE_TOKEN: 'wes_secret',
        WES_DEV_TOKEN: 'wes_secret',
        NODE_ENV: undefined,
      },
    })
    rig.write('.env', 'SHARED=file\nexport KEY="two\nlines" # comment\nEMPTY=\n')
    rig.deploy('ver_1', 'export const env = () => process.env')
    const seen = (await rig.result('env')) as object
    expect(seen).toMatchObject({ SHARED: 'runtime', KEY: 'two\nlines', EMPTY: '' })
    for (const name of ['SERVICE_TOKEN', 'WES_DEV_TOKEN', 'NODE_ENV', 'NODE_CHANNEL_FD']) {
      expect(seen).not.toHaveProperty(name)
    }
  })

  it('is that of a new process when .env has changed, while running attempts end in the old one', async () => {
    project()
    rig.write('.env', 'KEY=one')
    rig.deploy(
      'ver_1',
      `export const key = () => process.env.KEY
       export const slowKey = () => new Promise((resolve) => setTimeout(() => resolve(process.env.KEY), 700))`,
    )
    expect(await rig.result('key')).toBe('one')
    const slow = rig.result('slowKey')
    rig.write('.env', 'KEY=another')
    let key = await rig.result('key')
    while (key === 'one') key = await rig.result('key')
    expect(key).toBe('another')
    expect(await slow).toBe('one')
    await until(() => rig.hosts.status().length === 1)
  })

  it('ignores a folder called .env, such as a Python environment', async () => {
    project()
    rig.write('.env/bin/python', '')
    rig.deploy('ver_1', 'export const one = () => 1')
    expect(await rig.result('one')).toBe(1)
  })
})

describe('a project folder', () => {
  it('that is missing fails the attempt with its name, until it exists again', async () => {
    project().deploy('ver_1', 'export const one = () => 1')
    const away = `${rig.folder}-away`
    renameSync(rig.folder, away)
    const missing = await rig.failure('one')
    expect(missing).toMatchObject({ retryable: true, error: { code: 'project_folder_missing' } })
    expect(missing.error.message).toContain(rig.folder)
    renameSync(away, rig.folder)
    let outcome = await rig.perform('one')
    while (outcome.kind === 'failed') {
      await new Promise((resolve) => setTimeout(resolve, 20))
      outcome = await rig.perform('one')
    }
    expect(outcome.data).toBe('{"result":1}')
    rmSync(rig.folder, { recursive: true })
    let failed = await rig.perform('one')
    while (failed.kind === 'completed') failed = await rig.perform('one')
    expect(failed.error.code).toBe('project_folder_missing')
    await until(() => rig.hosts.status().length === 0)
  })

  it('may move, with its versions', async () => {
    project().deploy('ver_1', 'export const where = () => process.cwd()')
    expect(await rig.result('where')).toBe(rig.folder)
    rig.write('moved/package.json', '{}')
    const folder = join(rig.folder, 'moved')
    rig.deploy('ver_1', 'export const where = () => process.cwd()', { folder })
    let where = await rig.result('where')
    while (where === rig.folder) where = await rig.result('where')
    expect(where).toBe(folder)
  })

  it('has its own process', async () => {
    project().deploy('ver_1', 'export const where = () => [process.pid, process.cwd()]')
    rig.write('packages/b/package.json', '{}')
    const other = join(rig.folder, 'packages/b')
    rig.deploy('ver_2', 'export const where = () => [process.pid, process.cwd()]', { folder: other })
    const [pid, folder] = (await rig.result('where')) as [number, string]
    const [otherPid, otherFolder] = (await rig.result('where', 1, { versionId: 'ver_2' })) as [number, string]
    expect([folder, otherFolder]).toEqual([rig.folder, other])
    expect(otherPid).not.toBe(pid)
    expect(rig.hosts.status().map(({ name }) => name)).toEqual([rig.folder, other])
  })

  it('may have any name', async () => {
    rig = createEffectRig()
    rig.write('a #?%20ü b/package.json', '{}')
    const folder = join(rig.folder, 'a #?%20ü b')
    rig.deploy(
      'ver_1',
      'export const where = () => import.meta.dirname; export const fail = () => { throw new Error("x") }',
      { folder },
    )
    expect(await rig.result('where')).toBe(folder)
    expect((await rig.failure('fail')).error.stack).toMatch(/at fail \(effects-\w+\.mjs:1/)
  })
})

describe('a stack', () => {
  it('contains the author’s file and line, without frames of Node and the runtime', async () => {
    project()
    rig.write('node_modules/a-cjs/index.js', 'exports.call = (fn) => fn()')
    rig.write(
      'programs/pay.effects.ts',
      `import { call } from 'a-cjs'
import { refuse } from '../lib/refuse.ts'
type Input = {
  readonly cents: number
}

export async function charge(input: Input): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1))
  call(() => refuse(input.cents))
}
export const spin = () => {
  for (;;);
}
`,
    )
    rig.write(
      'lib/refuse.ts',
      `export const refuse = (cents: number): never => {\n  throw new Error('refused ' + cents)\n}\n`,
    )
    const built = await build({
      absWorkingDir: rig.folder,
      entryPoints: ['programs/pay.effects.ts'],
      bundle: true,
      minifyWhitespace: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      sourcemap: 'external',
      outfile: 'out.mjs',
      write: false,
    })
    const text = (ending: string) => built.outputFiles.find(({ path }) => path.endsWith(ending))!.text
    rig.deploy('ver_1', text('.mjs'), {
      sourceMap: text('.map'),
      effects: [
        { name: 'charge', options: {} },
        { name: 'spin', options: {} },
      ],
    })
    const { stack } = (await rig.failure('charge', { cents: 5 })).error
    expect(stack!.split('\n')).toEqual([
      'Error: refused 5',
      '    at refuse (lib/refuse.ts:2:9)',
      expect.stringMatching(/^ {4}at .*\(?programs\/pay\.effects\.ts:9:14\)?$/),
      '    at exports.call (node_modules/a-cjs/index.js:1:24)',
      expect.stringMatching(/^ {4}at (async )?charge \(programs\/pay\.effects\.ts:9:3\)$/),
    ])
    const blocked = await rig.failure('spin', 1, { timeoutMs: 2_000 })
    expect(blocked.error.stack).toMatch(/at spin \(programs\/pay\.effects\.ts:12:3\)/)
  })
})
