import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createCompiler } from './compile.ts'
import { createEvaluator } from './evaluator.ts'
import { createProject, tinyProgram } from './project.test-support.ts'
import { createLookAtProject, type ProjectView } from './project-view.ts'

const PROGRAM = `import { defineProgram } from 'workflow-execution-service'
import { pay } from './a.effects.ts'
export default defineProgram({ id: 'a' }, async () => pay())
`
const effects = (result: number): string => `export const pay = async () => ${result}`

it('does not use what was compiled while a file was being written, which may mix two states of it', async () => {
  const project = createProject({ 'programs/a.ts': PROGRAM, 'programs/a.effects.ts': effects(1) })
  const compiler = createCompiler({ folder: project.folder })
  onTestFinished(project.dispose)
  onTestFinished(compiler.stop)
  let isWritten = 0
  const compile: typeof compiler.compile = async (paths) => {
    const compiled = await compiler.compile(paths)
    if (isWritten > 0) project.write('programs/a.effects.ts', effects(isWritten))
    return compiled
  }
  const look = createLookAtProject({ ...compiler, compile }, () => expect.unreachable())
  const usedCode = async (): Promise<string | undefined> =>
    (await look()).files.get('programs/a.ts')!.good[0]?.artifact.effects?.code

  isWritten = 2
  expect(await usedCode()).toBeUndefined()
  isWritten = 0
  expect(await usedCode()).toContain('=> 2')
  project.write('programs/a.effects.ts', effects(3))
  isWritten = 4
  const view = await look()
  expect(view.files.get('programs/a.ts')!.good[0]!.artifact.effects!.code).toContain('=> 2')
  expect(view.againMs).toBeDefined()
  isWritten = 0
  expect(await usedCode()).toContain('=> 4')
})

it('compiles a module again when what its effects import by the beginning of a path changes, or comes to it', async () => {
  const project = createProject({
    'programs/a.ts': PROGRAM,
    'programs/a.effects.ts': 'export const pay = async (how = "card") => (await import(`../ways/${how}.ts`)).default',
    'ways/card.ts': "export default 'by card'",
  })
  const compiler = createCompiler({ folder: project.folder })
  onTestFinished(project.dispose)
  onTestFinished(compiler.stop)
  const look = createLookAtProject(compiler, () => expect.unreachable())
  const usedCode = async (): Promise<string | undefined> =>
    (await look()).files.get('programs/a.ts')!.good[0]?.artifact.effects?.code

  expect(await usedCode()).toContain('by card')
  project.write('ways/card.ts', "export { default } from '../shared.ts'")
  project.write('shared.ts', "export default 'by shared card'")
  expect(await usedCode()).toContain('by shared card')
  project.write('shared.ts', "export default 'by credit card'")
  expect(await usedCode()).toContain('by credit card')
  project.write('ways/of/old/cash.ts', "export default 'in cash'")
  expect(await usedCode()).toContain('in cash')
  expect((await look()).folders).toContain(join(project.folder, 'ways/of/old'))
})

it('does not report a module that was deleted while it was compiled', async () => {
  const project = createProject({ 'programs/a.ts': tinyProgram('a'), 'programs/b.ts': tinyProgram('b') })
  const evaluator = createEvaluator()
  const evaluate: typeof evaluator.evaluate = async (code) => {
    const evaluation = await evaluator.evaluate(code)
    project.remove('programs/b.ts')
    return evaluation
  }
  const compiler = createCompiler({ folder: project.folder, evaluator: { ...evaluator, evaluate } })
  onTestFinished(project.dispose)
  onTestFinished(evaluator.stop)
  onTestFinished(compiler.stop)
  const look = createLookAtProject(compiler, () => expect.unreachable())

  const { files } = await look()
  expect([...files.values()].map(({ good, isUnsettled }) => [good.length, isUnsettled])).toEqual([
    [1, false],
    [0, true],
  ])
})

it('compiles a module again when settings in its folder or above it change', async () => {
  const text = tinyProgram('a', 'return new (class { cents?: number })()')
  const project = createProject({ 'programs/deep/a.ts': text })
  const compiler = createCompiler({ folder: project.folder })
  onTestFinished(project.dispose)
  onTestFinished(compiler.stop)
  const look = createLookAtProject(compiler, () => expect.unreachable())
  const isField = async (): Promise<boolean | undefined> =>
    (await look()).files.get('programs/deep/a.ts')!.good[0]?.artifact.program.code.includes('cents;')
  const settings = (useDefineForClassFields: boolean): string =>
    JSON.stringify({ compilerOptions: { useDefineForClassFields } })

  expect(await isField()).toBe(true)
  project.write('programs/tsconfig.json', settings(false))
  expect(await isField()).toBe(false)
  project.write('programs/deep/tsconfig.json', settings(true))
  expect(await isField()).toBe(true)
  project.remove('programs/deep/tsconfig.json')
  expect(await isField()).toBe(false)

  // Also in those that it extends, directly or not: a file that is created later, and one of a linked package.
  project.write('packages/config/strict.json', settings(true))
  project.write('node_modules/@shop/config', '')
  project.remove('node_modules/@shop/config')
  symlinkSync(join(project.folder, 'packages/config'), join(project.folder, 'node_modules/@shop/config'), 'junction')
  project.write('programs/tsconfig.json', '{ // a comment\n "extends": ["../base"], }')
  expect(await isField()).toBe(true)
  project.write('base.json', settings(false))
  expect(await isField()).toBe(false)
  project.write('base.json', '{ "extends": "@shop/config/strict" }')
  expect(await isField()).toBe(true)
  project.write('packages/config/strict.json', settings(false))
  const view = await look()
  expect(view.folders).toContain(join(project.folder, 'packages/config'))
  expect(view.changed).toEqual(new Set(['programs/deep/a.ts']))
})

it('compiles a module again when a link to a package leads to another version of it', async () => {
  const version = (number: number): Readonly<Record<string, string>> => ({
    [`node_modules/.store/rate@${number}/package.json`]: `{ "version": "${number}.0.0", "main": "index.js" }`,
    [`node_modules/.store/rate@${number}/index.js`]: `exports.rate = ${number}`,
  })
  const program = `import { rate } from '@shop/rate'\n${tinyProgram('a', 'return rate')}`
  const project = createProject({ ...version(1), ...version(2), 'node_modules/@shop/x': '', 'programs/a.ts': program })
  const link = (number: number) =>
    symlinkSync(
      join(project.folder, `node_modules/.store/rate@${number}`),
      join(project.folder, 'node_modules/@shop/rate'),
      'junction',
    )
  link(1)
  const compiler = createCompiler({ folder: project.folder })
  onTestFinished(project.dispose)
  onTestFinished(compiler.stop)
  const look = createLookAtProject(compiler, () => expect.unreachable())
  const usedCode = ({ files }: ProjectView) => files.get('programs/a.ts')!.good[0]?.artifact.program.code

  const before = await look()
  expect(usedCode(before)).toContain('rate = 1')
  expect(before.folders).toContain(join(project.folder, 'node_modules/@shop'))
  rmSync(join(project.folder, 'node_modules/@shop/rate'))
  link(2)
  expect(usedCode(await look())).toContain('rate = 2')
})

it('compiles a module again when the converter of its schemas was installed', async () => {
  const project = createProject({
    'node_modules/mine/package.json': '{ "type": "module", "main": "index.js" }',
    'node_modules/mine/index.js':
      "export const text = { '~standard': { version: 1, vendor: 'valibot', validate: () => ({ value: 1 }) } }",
    'programs/a.ts': `import { defineProgram } from 'workflow-execution-service'
import { text } from 'mine'
export default defineProgram({ id: 'a', input: text }, async () => 1)
`,
  })
  const compiler = createCompiler({ folder: project.folder })
  onTestFinished(project.dispose)
  onTestFinished(compiler.stop)
  const look = createLookAtProject(compiler, () => expect.unreachable())
  const errors = ({ files }: ProjectView) => files.get('programs/a.ts')!.compiled.errors.map(({ message }) => message)

  const before = await look()
  expect(errors(before)).toEqual([
    'programs/a.ts:3:30 schemas of valibot cannot be converted to JSON Schema: install @valibot/to-json-schema in the project',
  ])
  expect(before.folders).toContain(join(project.folder, 'node_modules'))
  project.write('node_modules/@valibot/to-json-schema/package.json', '{ "type": "module", "main": "index.js" }')
  project.write(
    'node_modules/@valibot/to-json-schema/index.js',
    "export const toJsonSchema = () => ({ type: 'string' })",
  )
  const after = await look()
  expect(errors(after)).toEqual([])
  expect(after.files.get('programs/a.ts')!.good[0]!.artifact.manifest.inputSchema).toEqual({ type: 'string' })
})

it('uses a config that was just deleted for a moment, because some editors delete a file before they write it', async () => {
  const project = createProject({ 'wes.config.json': '{ "project": "shop" }', 'programs/a.ts': PROGRAM })
  const compiler = createCompiler({ folder: project.folder })
  onTestFinished(project.dispose)
  onTestFinished(compiler.stop)
  const look = createLookAtProject(compiler, () => expect.unreachable())

  await look()
  project.remove('wes.config.json')
  const { config, againMs } = await look()
  expect(config).toMatchObject({ project: 'shop' })
  expect(againMs).toBeLessThanOrEqual(250)
  project.write('wes.config.json', '{ "project": "store" }')
  expect((await look()).config).toMatchObject({ project: 'store' })
  project.remove('wes.config.json')
  expect((await look()).config).toMatchObject({ project: 'store' })
  await vi.waitFor(async () => expect((await look()).config).toEqual({ programs: ['programs/**/*.ts'] }), {
    interval: 10,
  })
})

it('waits for the config that a checkout writes after the first Programs of a project', async () => {
  const project = createProject({})
  const compiler = createCompiler({ folder: project.folder })
  onTestFinished(project.dispose)
  onTestFinished(compiler.stop)
  const look = createLookAtProject(compiler, () => expect.unreachable())
  const pathsFound = async () => [...(await look()).files.keys()]

  expect(await pathsFound()).toEqual([])
  project.write('programs/a.ts', PROGRAM)
  expect(await pathsFound()).toEqual([])
  project.write('wes.config.json', '')
  expect((await look()).configErrors).toEqual([])
  project.write('wes.config.json', '{ "project": "shop" }')
  const { config, files } = await look()
  expect([config?.project, ...files.keys()]).toEqual(['shop', 'programs/a.ts'])
})

it.each([
  ['', 0],
  [', also if the clock was set back since they were written', 3_600_000],
])('finds the first Programs of a project without a config%s', async (_, setBackMs) => {
  const project = createProject({})
  const compiler = createCompiler({ folder: project.folder })
  onTestFinished(project.dispose)
  onTestFinished(compiler.stop)
  const look = createLookAtProject(compiler, () => expect.unreachable())

  await look()
  project.write('programs/a.ts', PROGRAM)
  const now = Date.now
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - setBackMs)
  onTestFinished(() => clock.mockRestore())
  await vi.waitFor(async () => expect([...(await look()).files.keys()]).toEqual(['programs/a.ts']))
})
