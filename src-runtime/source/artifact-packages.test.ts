// The effects of an artifact contain the project's packages and run in any folder.

import { realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { createEffectHosts } from '../effects/create-effect-hosts.ts'
import { temporaryFolder } from '../shared/temporary-folder.test-support.ts'
import { compileProject } from './build-project.ts'
import { createEvaluator } from './evaluator.ts'
import { createProject } from './project.test-support.ts'
import type { SourceArtifact } from './source.ts'

const evaluator = createEvaluator()
afterAll(() => evaluator.stop())

const PROGRAM = `import { defineProgram } from 'workflow-execution-service'
import * as effects from './p.effects.ts'
export default defineProgram({ id: 'p' }, async () => effects.run())
`

const build = async (files: Readonly<Record<string, string>>) => {
  const project = createProject({ 'programs/p.ts': PROGRAM, ...files })
  onTestFinished(project.dispose)
  const { programs, errors, warnings } = await compileProject({ folder: project.folder, evaluator })
  const artifact = programs[0]?.artifact
  return { folder: project.folder, artifact, errors: errors.map(({ message }) => message), warnings }
}

/** In an empty folder. */
const perform = async ({ effects, manifest }: SourceArtifact, name: string, input?: unknown) => {
  const folder = realpathSync(temporaryFolder('elsewhere'))
  const names = manifest.effects!.map((effect) => ({ name: effect.name, options: {} }))
  const hosts = createEffectHosts({
    runtimeUrl: () => 'http://localhost:4711',
    loadEffects: () => ({ ...effects!, folder, effects: names }),
    log: pino({ level: 'silent' }),
  })
  onTestFinished(() => hosts.stop())
  return hosts.perform({
    executionId: 'exe_1',
    programId: 'p',
    versionId: 'ver_1',
    name,
    attempt: 1,
    idempotencyKey: 'key',
    data: JSON.stringify({ input }),
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    onLog: () => undefined,
  })
}

const PACKAGES = {
  'node_modules/modern/package.json': '{ "name": "modern", "type": "module", "exports": "./index.js" }',
  'node_modules/modern/index.js': `import { basename } from 'node:path'
export const place = () => [basename(import.meta.filename), typeof import.meta.url]
export const later = async () => (await import('./later.js')).value`,
  'node_modules/modern/later.js': 'export const value = "later"',
  'node_modules/old/package.json': '{ "name": "old", "main": "index.cjs" }',
  'node_modules/old/index.cjs': `#!/usr/bin/env node
'use strict'
const { join } = require('path')
const inner = require('inner')
exports.double = (x) => inner.twice(x)
exports.place = () => [join(__dirname, 'x').slice(-6), __filename.slice(-9)]`,
  'node_modules/old/node_modules/inner/package.json': '{ "name": "inner" }',
  'node_modules/old/node_modules/inner/index.js': 'exports.twice = (x) => 2 * x',
}

const EFFECTS = `import { NonRetryableError } from 'workflow-execution-service'
import * as modern from 'modern'
import { double, place } from 'old'
import data from './data.json'
export const run = async (input: number) => [double(input), place(), modern.place(), await modern.later(), data.key]
export const refuse = async () => {
  throw new NonRetryableError('never')
}
`

const UNBUILT = 'its package.json names ./dist/index.js, which does not exist: build the package, or install it again'

const FILES = { 'programs/p.effects.ts': EFFECTS, 'programs/data.json': '{ "key": "value" }', ...PACKAGES }

describe('the effects of an artifact', () => {
  it('run in a folder without their packages', async () => {
    const { artifact, errors } = await build(FILES)
    expect(errors).toEqual([])
    expect(artifact!.effects!.code).not.toMatch(/from ['"](?:modern|old|inner)['"]/)
    expect(await perform(artifact!, 'run', 4)).toEqual({
      kind: 'completed',
      data: JSON.stringify({
        result: [8, ['/old/x', 'index.cjs'], ['index.js', 'string'], 'later', 'value'],
      }),
    })
  })

  it('report the lines of their source when they fail', async () => {
    const { artifact } = await build(FILES)
    const outcome = await perform(artifact!, 'refuse')
    expect(outcome).toMatchObject({ kind: 'failed', retryable: false, error: { message: 'never' } })
    expect(outcome.kind === 'failed' && outcome.error.stack).toMatch(/programs\/p\.effects\.ts:7:9/)
  })

  it('are the same, byte for byte, whatever folder they are compiled in', async () => {
    const first = await build(FILES)
    const second = await build(FILES)
    expect(second.folder).not.toBe(first.folder)
    expect(JSON.stringify(second.artifact)).toBe(JSON.stringify(first.artifact))
    expect(JSON.stringify(first.artifact)).not.toContain(first.folder)
  })

  it('have a source map with the text of the project’s sources, but not of packages', async () => {
    const { artifact } = await build(FILES)
    const map = JSON.parse(artifact!.effects!.sourceMap) as { sources: string[]; sourcesContent: (string | null)[] }
    const textOf = (name: string) => map.sourcesContent[map.sources.indexOf(name)]
    expect(textOf('programs/p.effects.ts')).toBe(EFFECTS)
    expect(textOf('node_modules/old/index.cjs')).toBeNull()
  })

  it.each([
    ['absent', ': it is neither an installed package nor one of the paths in tsconfig.json'],
    ['@absent/one/two', ': it is neither an installed package nor one of the paths in tsconfig.json'],
    ['old/other', ': package "old" is installed, but has no such module'],
    ['modern/inner', ': The path "./inner" is not exported by package "modern"'],
    ['unbuilt', `: package "unbuilt" is installed, but ${UNBUILT}`],
    ['unbuilt-exports', `: ${UNBUILT}`],
    ['of-types', ': package "of-types" is installed, but has no such module'],
    ['./absent.ts', ''],
    ['named', ': package.json names it, but it is not installed: run `npm install`'],
    ['file', ': it is neither an installed package nor one of the paths in tsconfig.json. Did you mean "./file"?'],
  ])('say why %s cannot be found', async (specifier, why) => {
    const { errors } = await build({
      'package.json': '{ "dependencies": { "named": "1" } }',
      'programs/p.effects.ts': `import '${specifier}'\nexport const run = async () => 1\n`,
      'programs/named.ts': '',
      'node_modules/unbuilt/package.json': '{ "main": "./dist/index.js" }',
      'node_modules/of-types/package.json': '{ "main": "", "types": "index.d.ts" }',
      'node_modules/unbuilt-exports/package.json': '{ "exports": { "import": "./dist/index.js" } }',
      'programs/file.ts': '',
      ...PACKAGES,
    })
    expect(errors).toEqual([`programs/p.effects.ts:1:8 Could not resolve "${specifier}"${why}`])
  })
})

it('an artifact contains no file of the machine that the source map of a package names', async () => {
  const map = { version: 3, sources: ['../../.env'], names: [], mappings: 'AAAA' }
  const named = `export const one = () => import.meta.url //# sourceMappingURL=data:application/json,${JSON.stringify(map)}`
  const { artifact, errors } = await build({
    '.env': 'KEY=secret',
    'programs/p.ts': `import { one } from 'dep/plain'\n${PROGRAM.replace('effects.run()', '[one(), effects.run()]')}`,
    'programs/p.effects.ts': "import { one } from 'dep'\nexport const run = async () => one()",
    'node_modules/dep/package.json': '{ "type": "module", "exports": { ".": "./index.js", "./plain": "./plain" } }',
    'node_modules/dep/index.js': named,
    'node_modules/dep/plain': named.replace('import.meta.url', '1'),
  })
  expect(errors).toEqual([])
  const sources = [artifact!.program.sourceMap, artifact!.effects!.sourceMap].flatMap(
    (text) => (JSON.parse(text) as { sources: string[] }).sources,
  )
  expect(sources).toEqual(expect.arrayContaining(['node_modules/dep/index.js', 'node_modules/dep/plain']))
  expect(JSON.stringify(artifact)).not.toContain('secret')
})

/** node_modules/dep: its package.json and `exports.one = () => 1`. */
const ARCHIVE =
  'UEsDBBQAAAAAAAAAIQBDv6ajAgAAAAIAAAAdAAAAbm9kZV9tb2R1bGVzL2RlcC9wYWNrYWdlLmpzb257fVBLAwQUAAAAAAAAACEA31qEaxUAAAAVAAAA' +
  'GQAAAG5vZGVfbW9kdWxlcy9kZXAvaW5kZXguanNleHBvcnRzLm9uZSA9ICgpID0+IDFQSwECFAMUAAAAAAAAACEAQ7+mowIAAAACAAAAHQAAAAAAAAAA' +
  'AAAAgAEAAAAAbm9kZV9tb2R1bGVzL2RlcC9wYWNrYWdlLmpzb25QSwECFAMUAAAAAAAAACEA31qEaxUAAAAVAAAAGQAAAAAAAAAAAAAAgAE9AAAAbm9k' +
  'ZV9tb2R1bGVzL2RlcC9pbmRleC5qc1BLBQYAAAAAAgACAJIAAACJAAAAAAA='

it('a Program may use a package in an archive of Yarn, and effects only where Yarn runs the build', async () => {
  const needs = [['dep', 'npm:1']]
  const project = createProject({
    'programs/p.ts': `import { one } from 'dep'\n${PROGRAM.replace('effects.run()', '[one(), effects.run()]')}`,
    'programs/p.effects.ts': 'export const run = async () => 1',
    '.pnp.data.json': JSON.stringify({
      enableTopLevelFallback: true,
      fallbackExclusionList: [],
      fallbackPool: [],
      ignorePatternData: null,
      packageRegistryData: [
        [null, [[null, { packageLocation: './', packageDependencies: needs }]]],
        ['dep', [['npm:1', { packageLocation: './dep.zip/node_modules/dep/', packageDependencies: needs }]]],
      ],
    }),
  })
  onTestFinished(project.dispose)
  writeFileSync(join(project.folder, 'dep.zip'), Buffer.from(ARCHIVE, 'base64'))
  const { programs, errors } = await compileProject({ folder: project.folder, evaluator })
  expect(errors).toEqual([])
  expect(programs[0]?.artifact.program.code).toContain('exports.one')
  project.write('programs/p.effects.ts', "import { one } from 'dep'\nexport const run = async () => one()")
  const effects = await compileProject({ folder: project.folder, evaluator })
  expect(effects.errors.map(({ message }) => message)).toEqual([
    'programs/p.effects.ts:1:21 "dep" is in an archive of Yarn, which only processes that Yarn starts can read: run this command with `yarn` before it, or set `nodeLinker: node-modules` in .yarnrc.yml and run `yarn install`',
  ])
})

const nativePackage = (name: string, manifest: object, files: Readonly<Record<string, string>> = {}) => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, ...manifest }),
  [`node_modules/${name}/index.js`]: 'module.exports = 1',
  ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`node_modules/${name}/${path}`, text])),
})

describe('a native package', () => {
  const importing = (name: string) => ({
    'programs/p.effects.ts': `import native from '${name}'\nexport const run = async () => native\n`,
  })
  const refusal = (name: string) =>
    expect.stringContaining(` "${name}" is a native module: its code is compiled for one`)

  it.each([
    ['@scope/gyp', {}, { 'binding.gyp': '{}' }],
    ['prebuilt', {}, { 'prebuilds/linux-x64.node': '' }],
    ['loader', { dependencies: { 'node-gyp-build': '4' } }, {}],
    ['pre-gyp', { binary: { module_name: 'x' } }, {}],
    ['napi', { napi: { binaryName: 'x' } }, {}],
    ['parts', { optionalDependencies: { '@parts/parts-linux-x64': '1' } }, {}],
    ['main-file', { main: 'x.node' }, { 'x.node': '' }],
  ])('is refused by its name: %s', async (name, manifest, files) => {
    const { errors } = await build({ ...importing(name), ...nativePackage(name, manifest, files) })
    expect(errors).toEqual([expect.stringMatching(/^programs\/p\.effects\.ts:1:20 /)])
    expect(errors).toEqual([refusal(name)])
  })

  it('is refused, and left out where it is optional, in the folders that Yarn makes with nodeLinker: pnpm', async () => {
    const store = 'node_modules/.store'
    const files = {
      'programs/p.effects.ts': "import outer from 'outer'\nexport const run = async () => outer",
      [`${store}/outer-npm-1.0.0-ab12/package/package.json`]:
        '{ "name": "outer", "optionalDependencies": { "@scope/gyp": "1" } }',
      [`${store}/outer-npm-1.0.0-ab12/package/index.js`]: `exports.gyp = () => require('@scope/gyp')
exports.text = () => require('fs').readFileSync(__dirname + '/a.txt')`,
      [`${store}/@scope-gyp-npm-1.0.0-cd34/package/package.json`]: '{ "name": "@scope/gyp", "gypfile": true }',
      [`${store}/@scope-gyp-npm-1.0.0-cd34/package/index.js`]: 'module.exports = 1',
    }
    const project = createProject({ 'programs/p.ts': PROGRAM, 'node_modules/@scope/x': '', ...files })
    onTestFinished(project.dispose)
    const link = (to: string, at: string) =>
      symlinkSync(join(project.folder, store, to, 'package'), join(project.folder, 'node_modules', at), 'junction')
    link('outer-npm-1.0.0-ab12', 'outer')
    link('@scope-gyp-npm-1.0.0-cd34', '@scope/gyp')
    const compiled = () => compileProject({ folder: project.folder, evaluator })
    const { errors, warnings } = await compiled()
    expect(errors).toEqual([])
    expect(warnings).toEqual([expect.stringMatching(/^outer reads files of its own package/)])
    project.write('programs/p.effects.ts', "import native from '@scope/gyp'\nexport const run = async () => native")
    expect((await compiled()).errors.map(({ message }) => message)).toEqual([refusal('@scope/gyp')])
  })

  it('is refused where the project requires it by a function of createRequire, unless it may do without', async () => {
    const requiring = (code: string) =>
      build({
        'programs/p.effects.ts': `import { createRequire } from 'node:module'
const load = createRequire(import.meta.url)
${code}
export const run = async () => native`,
        'programs/a.json': '1',
        'programs/broken.cjs': "require('gyp')",
        ...nativePackage('gyp', {}, { 'binding.gyp': '{}' }),
      })
    const { errors } = await requiring("const native = load('gyp')")
    expect(errors).toEqual([refusal('gyp')])
    expect(errors[0]).toMatch(/^programs\/p\.effects\.ts:3:\d/)
    expect((await requiring("const native = load('./broken.cjs')")).errors).toEqual([refusal('gyp')])
    const { artifact, warnings } = await requiring(`let native = load('./a.json')
try { native += load('gyp') } catch {}
try { native += load('./broken.cjs') } catch {}`)
    expect(await perform(artifact!, 'run')).toMatchObject({ data: '{"result":1}' })
    expect(warnings).toEqual([
      'programs/p.effects.ts requires the native module "gyp", which an artifact cannot contain: what needs it fails on the hosted service',
    ])
  })

  it('is refused where another package requires it', async () => {
    const { errors } = await build({
      ...importing('outer'),
      'node_modules/outer/package.json': '{ "name": "outer", "dependencies": { "gyp": "1" } }',
      'node_modules/outer/index.js': "module.exports = require('gyp')",
      ...nativePackage('gyp', {}, { 'binding.gyp': '{}' }),
    })
    expect(errors).toEqual([refusal('gyp')])
    expect(errors[0]).toContain('\n  imported through programs/p.effects.ts → node_modules/outer/index.js')
  })

  it('is left out where it is optional', async () => {
    const attempt = (load: string) => `let fast = 'none'\ntry { fast = ${load} } catch {}\n`
    const { artifact, errors } = await build({
      'programs/p.effects.ts': `import { fast } from 'ws-like'\nimport own from 'ssh-like'\nexport const run = async () => [fast, own]\n`,
      'node_modules/ws-like/package.json':
        '{ "name": "ws-like", "type": "module", "exports": "./index.js", "peerDependenciesMeta": { "gyp": { "optional": true } } }',
      'node_modules/ws-like/index.js': `${attempt("await import('gyp')")}export { fast }`,
      'node_modules/ssh-like/package.json': '{ "name": "ssh-like" }',
      'node_modules/ssh-like/index.js': `${attempt("require('./build/fast.node')")}module.exports = fast`,
      'node_modules/ssh-like/build/fast.node': '',
      ...nativePackage('gyp', {}, { 'binding.gyp': '{}' }),
    })
    expect(errors).toEqual([])
    expect(await perform(artifact!, 'run')).toEqual({ kind: 'completed', data: '{"result":["none","none"]}' })
  })
})

describe('a package that is not installed', () => {
  const NEEDS = ': package "sql" names it, but it is not installed: run `npm install driver`'

  it.each([
    ['a function', "exports.connect = () => require('driver/fast')", '{}', []],
    [
      'a module',
      "let driver; exports.connect = () => driver(); if (process.env.FAST) driver = require('driver/fast'); else driver = () => 'MODULE_NOT_FOUND'",
      '{ "driver": { "optional": true } }',
      [],
    ],
    ['a module', "const driver = require('driver/fast')\nexports.connect = () => driver", '{}', [NEEDS]],
  ])('is left out where %s of a package requires it, and it need not be there', async (_, code, meta, expected) => {
    const { artifact, errors } = await build({
      'programs/p.effects.ts': `import { connect } from 'sql'
export const run = async () => { try { return connect() } catch (error) { return error.code } }\n`,
      'node_modules/sql/package.json': `{ "name": "sql", "peerDependencies": { "driver": "1" }, "peerDependenciesMeta": ${meta} }`,
      'node_modules/sql/index.js': code,
    })
    expect(errors).toEqual(expected.map((why) => expect.stringContaining(`Could not resolve "driver/fast"${why}`)))
    if (expected.length > 0) return
    expect(await perform(artifact!, 'run')).toEqual({ kind: 'completed', data: '{"result":"MODULE_NOT_FOUND"}' })
  })

  it('is one error, however many modules of packages need it', async () => {
    const { errors } = await build({
      'programs/p.effects.ts': "import { connect } from 'sql'\nexport const run = async () => connect()\n",
      'node_modules/sql/package.json': '{ "name": "sql", "dependencies": { "driver": "1", "other": "1" } }',
      'node_modules/sql/index.js': "require('./more')\nrequire('driver')\nrequire('driver/fast')",
      'node_modules/sql/more.js': "require('driver/slow')\nrequire('other')",
    })
    expect(errors).toEqual([
      expect.stringContaining('index.js:2:9 Could not resolve "driver": package "sql" names it'),
      expect.stringMatching(/more\.js:2:9 Could not resolve "other": .*\n.* → node_modules\/sql\/more\.js$/),
    ])
  })

  it('is an error where a function needs it that the package depends on', async () => {
    const { errors } = await build({
      'programs/p.effects.ts': "import { connect } from 'sql'\nexport const run = async () => connect()\n",
      'node_modules/sql/package.json': '{ "name": "sql", "dependencies": { "driver": "1" } }',
      'node_modules/sql/index.js': "exports.connect = () => require('driver')",
    })
    expect(errors).toEqual([expect.stringContaining(`Could not resolve "driver"${NEEDS}`)])
  })
})

it('an ES module of a package may require files of the package', async () => {
  const created = "import { createRequire } from 'node:module'\nconst"
  const { artifact } = await build({
    'programs/p.effects.ts': `import { one } from 'one'
import { two } from 'two'
export const run = async () => [one, two()]`,
    'node_modules/one/package.json': '{ "name": "one", "type": "module", "exports": "./index.js" }',
    'node_modules/one/index.js': `${created} require = createRequire(import.meta.url)
const { basename } = require('node:path')
const other = (require) => require('./data.json')
export const one = [require('./data.json'), basename(require.resolve('node:path')), typeof require, other(() => 2)]`,
    'node_modules/one/data.json': '[1]',
    'node_modules/two/package.json':
      '{ "name": "two", "type": "module", "exports": "./index.js", "imports": { "#font": "./font.cjs" } }',
    'node_modules/two/index.js': `${created} require$1 = createRequire(import.meta.url)
let native
try { native = require$1('./absent.node') } catch { native = 'none' }
export const two = () => [require$1('#font'), native]`,
    'node_modules/two/font.cjs': "module.exports = 'font'",
  })
  expect(await perform(artifact!, 'run')).toMatchObject({
    kind: 'completed',
    data: JSON.stringify({
      result: [
        [[1], 'node:path', 'function', 2],
        ['font', 'none'],
      ],
    }),
  })
})

it.each([
  "import { createRequire } from 'node:module'\nexport const get = () => createRequire(import.meta.url)('./a.json')",
  "import { createRequire } from 'node:module'\nexport const get = () => { const require = createRequire(import.meta.url); return require('./a.json') }",
  "import { createRequire as c } from 'module'\nconst a = c(import.meta.url), b = c(import.meta.filename)\nb('node:path')\nexport const get = () => a('./a.json') + b('./a.json').slice(1)",
  "import { createRequire } from 'module'\nconst a = createRequire(import.meta.url)\nexport function require() { return a('./a.json') }\nexport const get = () => require()",
  "import module, { createRequire } from 'module'\nexport const require = module.createRequire(import.meta.url), { get } = { get: () => [{ require }, require('dep')][1] }",
])('a module may make functions that require anywhere: %s', async (code) => {
  const dep = {
    'node_modules/dep/package.json': '{ "name": "dep" }',
    'node_modules/dep/index.js': 'module.exports = "a"',
  }
  const { artifact, warnings } = await build({
    'programs/p.effects.ts':
      "import { get } from 'one'\nimport * as own from './own.ts'\nexport const run = async () => [get(), own.get(), 'require' in own]",
    'programs/own.ts': code,
    'programs/a.json': '"a"',
    'node_modules/one/package.json':
      '{ "name": "one", "type": "module", "exports": "./index.js", "dependencies": { "dep": "1" } }',
    'node_modules/one/index.js': code,
    'node_modules/one/a.json': '"a"',
    ...dep,
  })
  expect(warnings).toEqual([])
  const isExported = code.includes('export const require') || code.includes('export function require')
  expect(await perform(artifact!, 'run')).toMatchObject({ data: `{"result":["a","a",${isExported}]}` })
})

it('a large module that makes a require function is read in seconds', { timeout: 20_000 }, async () => {
  const functions = Array.from({ length: 10_000 }, (_, n) => `function f${n}() {{{{{{{{{}}}}}}}}}`)
  const { artifact } = await build({
    'programs/p.effects.ts': "import { get } from 'large'\nexport const run = async () => get()",
    'node_modules/large/package.json': '{ "name": "large", "type": "module", "exports": "./index.js" }',
    'node_modules/large/index.js': `import { createRequire } from 'module'
const require = createRequire(import.meta.url)
${functions.join('\n')}
export const get = () => require('./a.json')`,
    'node_modules/large/a.json': '"a"',
  })
  expect(artifact?.effects?.code).toContain('large/a.json')
})

it('an ES module of a package may require by other functions than its own, and what no artifact can contain', async () => {
  const created = "import { createRequire } from 'node:module'\nconst require = createRequire"
  const needing = (name: string, more: Readonly<Record<string, string>> = {}) =>
    build({
      'programs/p.effects.ts': `import { needed } from '${name}'\nexport const run = async () => needed()`,
      [`node_modules/${name}/package.json`]: `{ "name": "${name}", "type": "module", "exports": "./index.js" }`,
      [`node_modules/${name}/a.json`]: '"a"',
      ...more,
    })
  const { artifact: others } = await needing('others', {
    'node_modules/others/index.js': `${created}(import.meta.url)
import { require as shared } from './shared.js'
import { ofFolder } from './of-folder.js'
const given = (require) => require('./a.json')
export const needed = () => [require('./a.json'), given((path) => path), typeof shared('node:path'), ofFolder()]`,
    'node_modules/others/shared.js': `${created}(import.meta.url)\nrequire('node:path')\nexport { require }
export const unused = () => require('./a.json')`,
    'node_modules/others/of-folder.js': `${created}(process.cwd() + '/')
const above = createRequire(import.meta.dirname)
const tried = (run) => { try { return run() } catch { return 'none' } }
export const ofFolder = () => [tried(() => require('./a.json')), tried(() => above('./a.json'))].join()`,
  })
  expect(await perform(others!, 'run')).toMatchObject({ data: '{"result":["a","./a.json","object","none,none"]}' })
  const { artifact: without } = await needing('without', {
    'node_modules/without/index.js': `${created}(import.meta.url)
let found = 'none'
try { found = require('./absent.cjs') } catch {}
export const needed = () => found`,
    'node_modules/without/absent.cjs': "module.exports = require('absent')",
  })
  expect(await perform(without!, 'run')).toMatchObject({ data: '{"result":"none"}' })
  const { errors, warnings } = await needing('drawing', {
    'node_modules/drawing/package.json':
      '{ "name": "drawing", "type": "module", "exports": "./index.js", "optionalDependencies": { "gyp": "1" } }',
    'node_modules/drawing/index.js': `${created}(import.meta.url)
export let needed
try { needed = require('gyp') } catch {}`,
    ...nativePackage('gyp', {}, { 'binding.gyp': '{}' }),
  })
  expect(errors).toEqual([])
  expect(warnings).toEqual([
    'drawing requires the native module "gyp", which an artifact cannot contain: what needs it fails on the hosted service\n  imported through programs/p.effects.ts → node_modules/drawing/index.js',
  ])
})

describe('a package that reads files of its own', () => {
  const withPackage = (main: string, more: Readonly<Record<string, string>> = {}) =>
    build({
      'programs/p.effects.ts': "import top from 'top'\nexport const run = async () => top()",
      'node_modules/top/package.json': '{ "name": "top", "main": "index.js" }',
      'node_modules/top/index.js': main,
      'node_modules/top/data.json': '{}',
      ...more,
    })
  const LOADS = `const { readFileSync } = require('fs'), { join } = require('path')
const data = readFileSync(join(__dirname, 'data.json'), 'utf8')
module.exports = () => data`

  it.each([
    ['reads', LOADS, '2:14', "ENOENT: no such file or directory, open 'node_modules/top/data.json'"],
    [
      'resolves',
      "const path = require.resolve('./data.json')\nmodule.exports = () => path",
      '1:22',
      "Cannot find module './data.json'",
    ],
    [
      'misses',
      "\nif (!require('fs').existsSync(__dirname + '/data.json')) throw Error('no data')\nmodule.exports = () => 1",
      '2:64',
      'no data',
    ],
    ['runs only in sloppy mode and', 'top = 1\nmodule.exports = () => top', '1:1', 'top is not defined'],
  ])('is refused if it %s what an artifact lacks as soon as it is loaded', async (_, main, place, why) => {
    expect((await withPackage(main)).errors).toEqual([
      `node_modules/top/index.js:${place} top fails here as soon as it is imported, and an artifact contains only code: ${why}. See its documentation for how to bundle it, or use another package\n  imported through programs/p.effects.ts → node_modules/top/index.js`,
    ])
  })

  it.each([
    ['it needs the environment', "if (!process.env.TOP_KEY) throw Error('no key')"],
    [
      'it needs the environment, also from a file for development',
      "try { process.loadEnvFile() } catch {}\nprocess.env.A_KEY ??= 'a'\nif (!process.env.TOP_KEY) throw Error('no key')",
    ],
    ['it needs the network', "export const found = await fetch('http://127.0.0.1:9')"],
    ['it does not end', 'process.exit()', 'loading ends the process'],
    ['it fails later', "setImmediate(() => { throw Error('later') })"],
  ])('is not refused if %s', async (_, code, unknown = '') => {
    const { errors, warnings } = await withPackage('module.exports = () => 1', {
      'programs/p.effects.ts': `import top from 'top'\nimport './needs.ts'\nexport const run = async () => top()`,
      'programs/needs.ts': code,
      '.env': 'TOP_KEY=key',
    })
    expect(errors).toEqual([])
    const untried = `programs/p.effects.ts could not be tried without the project's files, and an artifact contains only code: ${unknown}`
    expect(warnings).toEqual(unknown === '' ? [] : [untried])
  })

  describe.each([
    [
      'an ES module',
      "import { createRequire } from 'node:module'\nconst load = createRequire(import.meta.url)",
      'load',
      'module',
    ],
    ['a CommonJS module', "'use strict'\n", 'require', 'commonjs'],
  ])('and may require a native one, in %s,', (_, begin, load, type) => {
    const loading = (code: string) =>
      withPackage('module.exports = () => 1', {
        'node_modules/top/package.json': `{ "name": "top", "type": "${type}", "exports": "./index.js", "optionalDependencies": { "gyp": "1" } }`,
        'node_modules/top/index.js': `${begin}
let native
try { native = ${load}('gyp') } catch {}
${code}
${type === 'module' ? 'export default' : 'module.exports ='} () => typeof native`,
        ...nativePackage('gyp', {}, { 'binding.gyp': '{}' }),
      })

    it('is refused if it needs that as soon as it is loaded', async () => {
      const { errors } = await loading("const made = new native.Canvas()\nif (!process.env.KEY) throw Error('no key')")
      expect(errors).toEqual([
        expect.stringMatching(
          /^node_modules\/top\/index\.js:5:25 top fails here .*, and an artifact cannot contain the native code of "gyp": Cannot read properties of undefined/,
        ),
      ])
    })

    it('is not refused if it needs the environment', async () => {
      const { errors, artifact } = await loading("if (!process.env.PATH) throw Error('no path')")
      expect(errors).toEqual([])
      expect(await perform(artifact!, 'run')).toMatchObject({ data: '{"result":"undefined"}' })
    })
  })

  it.each([
    ['a function', `const fs = require('fs')\nmodule.exports = () => fs.readFileSync(__dirname + '/data.json')`],
    ['a function, by a descriptor', `const fs = require('fs')\nmodule.exports = () => fs.openSync(__dirname + '/a')`],
    ['a module that is only required in a function', "module.exports = () => require('./loads.js')"],
    [
      'a block that catches',
      `let a\ntry { a = require('fs').readFileSync(__dirname + '/a') } catch {}\nmodule.exports = () => a`,
    ],
  ])('has a warning if they are read in %s', async (_, main) => {
    const { errors, warnings } = await withPackage(main, { 'node_modules/top/loads.js': LOADS })
    expect(errors).toEqual([])
    expect(warnings).toEqual([
      'top reads files of its own package, and an artifact contains only code: the parts of top that need them fail on the hosted service. Its documentation may say how to bundle it\n  imported through programs/p.effects.ts → node_modules/top/index.js' +
        (main.includes('loads.js') ? ' → node_modules/top/loads.js' : ''),
    ])
  })

  it('is refused in a workspace where another package of the workspace loads it', async () => {
    const workspace = createProject({
      'node_modules/top/index.js': LOADS,
      'node_modules/top/data.json': '{}',
      'lib/package.json': '{ "name": "lib", "type": "module", "exports": "./index.js" }',
      'lib/index.js': "export { default as top } from 'top'",
    })
    onTestFinished(workspace.dispose)
    const { write } = createProject({}, { at: join(workspace.folder, 'app') })
    write('programs/p.ts', PROGRAM)
    write('programs/p.effects.ts', "import { top } from 'lib'\nexport const run = async () => top()")
    symlinkSync(join(workspace.folder, 'lib'), join(workspace.folder, 'node_modules/lib'), 'junction')
    const { errors } = await compileProject({ folder: join(workspace.folder, 'app'), evaluator })
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^\.\.\/node_modules\/top\/index\.js:2:14 top fails here .* open 'node_modules\/top\/data\.json'/,
      ),
    ])
  })

  it.each([
    ['load it later', "import top from 'top'\nexport const run = async () => top()"],
    [
      'need the environment before',
      "import './needs.ts'\nimport loads from 'top/loads.js'\nexport const run = () => loads",
    ],
  ])('is refused in the Program that loads it, also if those before and after it %s', async (_, others) => {
    const effects = { a: others, p: "import loads from 'top/loads.js'\nexport const run = () => loads", z: others }
    const files = Object.entries(effects).flatMap(([id, code]) => [
      [`programs/${id}.effects.ts`, code],
      [`programs/${id}.ts`, PROGRAM.replace("'p'", `'${id}'`).replace('p.effects', `${id}.effects`)],
    ])
    const { errors } = await withPackage("module.exports = () => require('./loads.js')", {
      ...(Object.fromEntries(files) as Record<string, string>),
      'programs/needs.ts': "if (!process.env.TOP_KEY) throw Error('no key')",
      'node_modules/top/loads.js': "module.exports = require('fs').readFileSync(__dirname + '/data.json', 'utf8')",
    })
    expect(errors).toEqual([
      expect.stringMatching(/^node_modules\/top\/loads\.js:1:32 top fails here .*\n.* programs\/p\.effects\.ts → /),
    ])
  })

  it('has a warning if they are read by a module of which only a later import needs something', async () => {
    const { errors, warnings } = await build({
      'programs/p.effects.ts': "import { x } from 'top'\nexport const run = async () => [x, await import('top/reads')]",
      'node_modules/top/package.json':
        '{ "name": "top", "type": "module", "sideEffects": false, "exports": { ".": "./index.js", "./reads": "./reads.js" } }',
      'node_modules/top/index.js': "export { data } from './reads.js'\nexport const x = 1",
      'node_modules/top/reads.js':
        "import { readFileSync } from 'node:fs'\nexport const data = readFileSync(import.meta.filename)",
    })
    expect({ errors, warnings: warnings.length }).toEqual({ errors: [], warnings: 1 })
  })

  it('has none if it reads its package.json and does without, and one if it throws on, or finds its folder so', async () => {
    const main = (or: string) =>
      `const fs = require('fs').promises\nmodule.exports = async () => { try { return await fs.readFile(__dirname + '/package.json') } catch { ${or} } }`
    expect(await withPackage(main("return '?'"))).toMatchObject({ errors: [], warnings: [] })
    expect((await withPackage(main("throw Error('gone')"))).warnings).toHaveLength(1)
    const finds = `let folder\ntry { folder = require('path').dirname(require.resolve('./package.json')) } catch { }
module.exports = () => require('fs').readFileSync(folder + '/words.txt')`
    expect((await withPackage(finds)).warnings).toHaveLength(1)
  })

  it('has none if it only knows its place, or its documentation reads files', async () => {
    const main = `/** An example:\n * fs.readFile(__dirname + '/a') */\nconst { createRequire } = require('module'), { readFileSync } = require('fs')\nmodule.exports = (name) => [__filename, name]`
    expect(await withPackage(main)).toMatchObject({ errors: [], warnings: [] })
  })
})

it('modules that are imported without names run, also where a package.json says that they have no side effects', async () => {
  const { artifact, warnings } = await build({
    'package.json': '{ "type": "module", "sideEffects": false }',
    'programs/p.ts': "import './begin.ts'\n" + PROGRAM,
    'programs/begin.ts': "Object.assign(globalThis, { begun: 'in the Program' })",
    'programs/p.effects.ts': `import './prepare.ts'
import 'side'
export const run = async () => Object.entries(globalThis).filter(([name]) => name.startsWith('side'))`,
    'programs/prepare.ts': "import { unused } from './other.ts'\nObject.assign(globalThis, { side: unused })",
    'programs/other.ts': "import './prepare.ts'\nexport const unused = 1",
    'node_modules/side/package.json':
      '{ "name": "side", "type": "module", "sideEffects": false, "exports": "./index.js" }',
    'node_modules/side/index.js': "import './more.js'\nglobalThis.sideOfPackage = 2",
    'node_modules/side/more.js': 'globalThis.sideOfMore = 3',
  })
  expect(warnings).toEqual([])
  expect(artifact!.program.code).toContain('in the Program')
  const outcome = await perform(artifact!, 'run')
  expect(outcome.kind === 'completed' && JSON.parse(outcome.data)).toEqual({
    result: expect.arrayContaining([
      ['side', 1],
      ['sideOfPackage', 2],
      ['sideOfMore', 3],
    ]),
  })
})

it('import.meta.glob is refused with its place, unless the module asks whether it is there', async () => {
  const withGlob = (code: string) =>
    build({ 'programs/p.effects.ts': `declare global { interface ImportMeta { glob: any } }\n${code}` })
  const { errors } = await withGlob(
    "const all = import.meta.glob('./*.ts')\nexport const run = async () => Object.keys(all)",
  )
  expect(errors).toEqual([
    'programs/p.effects.ts:2:13 import.meta.glob is a function of Vite, which does not compile this: import each module by its name',
  ])
  const asks = await withGlob("export const run = async () => (import.meta.glob ? import.meta.glob('./*.ts') : [])")
  expect(asks.errors).toEqual([])
})

it('decorators that would find the types of what they decorate have a warning', async () => {
  const files = {
    'programs/p.effects.ts': `const typed = (of: any) => void of
export const run = async () => typed(A)
@typed
class A { constructor(readonly of: Date) {} }`,
    'tsconfig.json': '{ "extends": "./base.json", "compilerOptions": { "experimentalDecorators": true } }',
  }
  const base = (emits: boolean) => ({ 'base.json': `{ "compilerOptions": { "emitDecoratorMetadata": ${emits} } }` })
  expect((await build({ ...files, ...base(true) })).warnings).toEqual([
    expect.stringMatching(
      /^programs\/p\.effects\.ts:3:1 "emitDecoratorMetadata" of tsconfig\.json has no effect here: /,
    ),
  ])
  expect((await build({ ...files, ...base(false) })).warnings).toEqual([])
})

it('a package has a warning if it requires by a variable, and not for a function of its own, or if it does without', async () => {
  const own = 'const call = (require, x) => require(x)'
  const made = 'exports.call = () => { const name = "a"; return require(name); function require(x) { return x } }'
  const tried =
    'if (require.main === module) require(process.argv[2])\ntry { exports.x = require(process.env.X) } catch {}'
  const { warnings } = await build({
    'programs/p.effects.ts':
      "import sql from 'sql'\nimport own from 'own'\nimport dates from 'dates'\nexport const run = async () => sql(own, dates)",
    'node_modules/dates/package.json': '{ "name": "dates" }',
    'node_modules/dates/index.js':
      "let other\nmodule.exports = (name) => { try { other = require; other('fs'); other('./locale/' + name) } catch {} }",
    'node_modules/sql/package.json': '{ "name": "sql" }',
    'node_modules/sql/index.js': `${own}
module.exports = (driver) => { try { return [call, require(driver)] } catch { throw Error('install it') } }`,
    'node_modules/own/package.json': '{ "name": "own" }',
    'node_modules/own/index.js': `${own}\nmodule.exports = [call, (name) => require(\`./\${name}.js\`), require('./made'), require('./tried')]`,
    'node_modules/own/made.js': made,
    'node_modules/own/tried.js': tried,
  })
  expect(warnings).toEqual([
    'sql requires modules whose names are only known when it runs, and an artifact contains only code that is imported by name: import what sql needs in your effects and pass it on, as its documentation says for bundlers\n  imported through programs/p.effects.ts → node_modules/sql/index.js',
    'dates requires modules whose names are only known when it runs, and an artifact contains only code that is imported by name: import what dates needs in your effects and pass it on, as its documentation says for bundlers\n  imported through programs/p.effects.ts → node_modules/dates/index.js',
  ])
})

it('errors of packages have the names of their classes', async () => {
  const { artifact } = await build({
    'programs/p.effects.ts': `import { AbsentError } from 'orm'
export const run = async () => new AbsentError('absent').name
export const fail = async () => { throw new AbsentError('absent') }`,
    'node_modules/orm/package.json':
      '{ "name": "orm", "exports": { "import": "./index.mjs", "default": "./index.js" } }',
    'node_modules/orm/index.mjs': "import orm from './index.js'\nconst { AbsentError } = orm\nexport { AbsentError }",
    'node_modules/orm/index.js': `class BaseError extends Error { get name() { return this.constructor.name } }
class AbsentError extends BaseError { constructor(text) { super(text); Object.setPrototypeOf(this, AbsentError.prototype) } }
module.exports = { AbsentError }`,
  })
  expect(await perform(artifact!, 'run')).toMatchObject({ data: '{"result":"AbsentError"}' })
  expect(await perform(artifact!, 'fail')).toMatchObject({ error: { name: 'AbsentError', message: 'absent' } })
})

it('a package may require built-in modules by a variable, and its own by the beginning of a path, without their endings', async () => {
  const { artifact, warnings } = await build({
    'programs/p.effects.ts':
      "import find from 'dates'\nexport const run = async () => ['de', 'fr', 'it', 'en', 'es'].map(find)",
    'node_modules/dates/package.json': '{ "name": "dates" }',
    'node_modules/dates/index.js': `const builtIn = (name) => { try { return require(name) } catch (error) { return error } }
module.exports = (name) => { try { return require('./locale/' + name) + typeof builtIn('path').sep } catch ({ code }) { return code } }`,
    'node_modules/dates/locale/de.js': "module.exports = 'de'",
    'node_modules/dates/locale/fr.json': '"fr"',
    'node_modules/dates/locale/it/index.js': "module.exports = 'it'",
    'node_modules/dates/locale/README.md': '# No module',
    'node_modules/dates/locale/LICENSE': 'The license',
    'node_modules/dates/locale/en': "module.exports = 'en'",
    'node_modules/dates/locale/de.js.map': '{}',
  })
  expect(warnings).toEqual([])
  expect(await perform(artifact!, 'run')).toMatchObject({
    data: '{"result":["destring","frstring","itstring","enstring","MODULE_NOT_FOUND"]}',
  })
})

it('a package may have tests and templates that cannot be bundled where it requires by the beginning of a path', async () => {
  const files = {
    'programs/p.effects.ts':
      "import find from 'dates'\nexport const run = async () => ['de', 'de.test', 'of/template', 'uses'].map(find)",
    'node_modules/dates/package.json': '{ "name": "dates" }',
    'node_modules/dates/index.js':
      "module.exports = (name) => { try { return require('./locale/' + name) } catch ({ code, message }) { return code + ' ' + message } }",
    'node_modules/dates/locale/de.js': "module.exports = 'de'",
    'node_modules/dates/locale/de.test.js': "require('tester')",
    'node_modules/dates/locale/of/template.js': 'const {{name}} = 1',
    'node_modules/dates/locale/uses.js': "module.exports = require('../deep').deep",
    'node_modules/dates/deep.js': "exports.deep = 'deep'",
  }
  const { artifact, errors, warnings } = await build(files)
  expect([errors, warnings]).toEqual([[], []])
  const missing = (name: string) =>
    `MODULE_NOT_FOUND the artifact does not contain node_modules/dates/locale/${name}.js: `
  expect(JSON.parse(((await perform(artifact!, 'run')) as { data: string }).data)).toEqual({
    result: [
      'de',
      `${missing('de.test')}Could not resolve "tester"`,
      expect.stringContaining(missing('of/template')),
      'deep',
    ],
  })
  const named = { 'node_modules/dates/locale/de.js': "module.exports = require('./de.test')" }
  expect((await build({ ...files, ...named })).artifact).toBeDefined()
  const needed = { 'node_modules/dates/deep.js': "require('./locale/de.test')" }
  const first = {
    'node_modules/dates/index.js': "require('./deep')\nmodule.exports = (name) => require('./locale/' + name)",
  }
  expect((await build({ ...files, ...first, ...needed })).errors).toEqual([
    expect.stringContaining('de.test.js:1:9 Could not resolve "tester"'),
  ])
  const native = {
    'node_modules/dates/locale/uses.js': "module.exports = require('gyp')",
    'node_modules/gyp/package.json': '{ "name": "gyp", "gypfile": true }',
    'node_modules/gyp/index.js': '',
  }
  expect((await build({ ...files, ...native })).errors).toEqual([
    expect.stringMatching(/uses\.js:1:26 "gyp" is a native module/),
  ])
})

it('a package that lacks what it imports of itself has an error that names its documentation', async () => {
  const { errors } = await build({
    'programs/p.effects.ts': "import db from 'db'\nexport const run = async () => db",
    'node_modules/db/package.json': '{ "name": "db" }',
    'node_modules/db/index.js': "module.exports = [require('.db/client'), require('./parts/README.md')]",
    'node_modules/db/parts/README.md': '',
  })
  const documented = 'ee the documentation of package "db" for how to set it up, and how to bundle it'
  expect(errors).toEqual([
    expect.stringContaining(
      `1:27 Could not resolve ".db/client": s${documented}\n  imported through programs/p.effects.ts`,
    ),
    expect.stringContaining(
      `node_modules/db/parts/README.md cannot be imported: it is not JavaScript, TypeScript, JSON or text (.txt). S${documented}`,
    ),
  ])
})

describe('effects that read files of the project', () => {
  const reading = (code: string) =>
    build({
      'programs/p.effects.ts': `import { readFileSync } from 'node:fs'\nimport { join } from 'node:path'\n${code}`,
      'programs/mail.html': 'Hello',
    })
  const WHY = 'is read here, and an artifact contains only code: import it, which works for .json and .txt'

  it.each([
    ["export const run = async () => readFileSync(new URL('./mail.html', import.meta.url), 'utf8')", '3:32'],
    ["const file = join(import.meta.dirname, 'mail.html')\nexport const run = async () => readFileSync(file)", '4:32'],
    [
      'const a = `${import.meta.dirname}/`, b = a + "mail.html", run = async () => readFileSync(b)\nexport { run }',
      '3:77',
    ],
  ])('are refused if they always do: %s', async (code, place) => {
    const { errors } = await reading(code)
    expect(errors).toEqual([`programs/p.effects.ts:${place} programs/mail.html ${WHY}`])
  })

  it('are refused if they start a worker from one', async () => {
    const { errors } = await build({
      'programs/p.effects.ts':
        "import { Worker } from 'node:worker_threads'\nexport const run = async () => void new Worker(new URL('./w.mjs', import.meta.url))",
      'programs/w.mjs': '1',
    })
    expect(errors).toEqual([
      'programs/p.effects.ts:2:37 programs/w.mjs is started here, and an artifact contains only code: import the code of the worker as text, from a .txt file, and start it with `new Worker(code, { eval: true })`',
    ])
  })

  it.each([
    "(await import('node:fs/promises')).readFile(mail).catch(() => '')",
    "new Promise(async (done) => (await import('node:fs')).readFile(mail, (error) => done(error?.code)))",
    "(await import('node:fs')).readFile(mail, 'utf8', console.log)",
    '{ if (process.env.MAIL) return process.env.MAIL; return readFileSync(mail) }',
    'cached ??= readFileSync(mail)',
    "[(await import('node:fs')).writeFileSync(mail, ''), readFileSync(mail)]",
    'process.env.MAIL ?? load()\nconst load = () => readFileSync(mail)',
  ])('have a warning with the place if they may do without: %s', async (body) => {
    const { errors, warnings } = await reading(
      `const mail = join(import.meta.dirname, 'mail.html')\nlet cached: any\nexport const run = async () => ${body}`,
    )
    expect(errors).toEqual([])
    expect(warnings).toEqual([
      expect.stringMatching(/^programs\/p\.effects\.ts:[56]:\d+ programs\/mail\.html is read here/),
    ])
  })

  it.each([
    [
      "export const run = async () => readFileSync('programs/mail.html')",
      `programs/p.effects.ts:3:32 programs/mail.html ${WHY}`,
    ],
    [
      "import { existsSync } from 'node:fs'\nconst f = join(import.meta.dirname, 'mail.html')\nexport const run = async () => (existsSync(f) ? readFileSync(f) : '')",
      `programs/p.effects.ts:5:49 programs/mail.html ${WHY}`,
    ],
    [
      'export const run = async (name: string) => readFileSync(join(import.meta.dirname, name))',
      'programs/p.effects.ts seems to read files beside it, and an artifact contains only code: import it, which works for .json and .txt',
    ],
    [
      "import { readdirSync } from 'node:fs'\nexport const run = async () => readdirSync(join(import.meta.dirname, 'mails'))",
      'programs/p.effects.ts seems to read files beside it, and an artifact contains only code: import it, which works for .json and .txt',
    ],
    ...[
      'import(name)',
      "import(name + '.ts')",
      'import(`${name}.ts`)',
      "import('mails/' + name)",
      'import(`mails/${name}`)',
      'import(UNKNOWN)',
      "(other = require)('x', other(name))",
    ].map((load): [string, string] => [
      `let other: any; const UNKNOWN = 'mails'\nexport const run = async (name: string) => ${load}`,
      `programs/p.effects.ts:4:${load.startsWith('import') ? 44 : 67} what this loads is only known when it runs, and an artifact contains only code that is imported by name: import a built-in module, or write how the path begins, such as import(\`./mails/\${name}.ts\`)`,
    ]),
    ...["'node:' + 'path'", "'node:' + name", '`node:${name}`', 'FS', '`${FS}`', "'fs' + PROMISES"].map(
      (built): [string, undefined] => [
        `const FS = 'node:fs/promises', PROMISES = '/promises'\nexport const run = async (name: string) => import(${built})`,
        undefined,
      ],
    ),
    ["export const run = async () => readFileSync('/etc/hosts')", undefined],
    ["const unused = () => readFileSync('programs/mail.html')\nexport const run = async () => 1", undefined],
  ])('have a warning if they may do without: %s', async (code, warning) => {
    const { errors, warnings } = await reading(code)
    expect({ errors, warnings }).toEqual({ errors: [], warnings: warning === undefined ? [] : [warning] })
  })
})
