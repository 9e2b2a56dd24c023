import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { buildProject, compileProject } from './build-project.ts'
import { createEvaluator } from './evaluator.ts'
import { createProject, tinyProgram, type TestProject } from './project.test-support.ts'
import type { SourceArtifact } from './source.ts'

const evaluator = createEvaluator()
afterAll(() => evaluator.stop())

const projectOf = (sources: Readonly<Record<string, string>>): TestProject => {
  const project = createProject(sources)
  onTestFinished(project.dispose)
  return project
}

describe('building a project', () => {
  it('writes an artifact for each Program', async () => {
    const { folder } = projectOf({
      'wes.config.json': '{ "project": "shop" }',
      'programs/b.ts': tinyProgram('b'),
      'programs/a.ts': tinyProgram('a'),
      'programs/helper.ts': 'export const x = 1',
    })
    const outDir = join(folder, 'dist/programs')
    const { files, errors } = await buildProject({ folder, outDir, evaluator })
    expect(errors).toEqual([])
    expect(files).toEqual([
      { id: 'a', path: 'programs/a.ts', file: join(outDir, 'a.program.json') },
      { id: 'b', path: 'programs/b.ts', file: join(outDir, 'b.program.json') },
    ])
    expect(readdirSync(outDir).toSorted()).toEqual(['a.program.json', 'b.program.json'])
    const written = JSON.parse(readFileSync(files[0]!.file, 'utf8')) as SourceArtifact
    const { programs, project } = await compileProject({ folder, evaluator })
    expect(written).toEqual(programs[0]!.artifact)
    expect(project).toBe('shop')
  })

  it('writes the same bytes each time', async () => {
    const { folder } = projectOf({ 'programs/a.ts': tinyProgram('a') })
    const built = async () => {
      const { files } = await buildProject({ folder, outDir: join(folder, 'out'), evaluator })
      return readFileSync(files[0]!.file, 'utf8')
    }
    expect(await built()).toBe(await built())
  })

  it.skipIf(process.platform === 'win32')('replaces no artifact when it cannot write another one', async () => {
    const long = 'b'.repeat(128)
    const project = projectOf({ 'programs/a.ts': tinyProgram('a') })
    const { folder } = project
    // So long that the name of the second artifact is longer than names may be.
    const above = `${folder}/${'x/'.repeat(2_000)}`.slice(0, process.platform === 'darwin' ? 900 : 3_980)
    const outDir = `${above.replace(/\/$/, '')}/out`
    const [built] = (await buildProject({ folder, outDir, evaluator })).files
    const text = readFileSync(built!.file, 'utf8')
    project.write('programs/a.ts', tinyProgram('a', 'return 2'))
    project.write('programs/b.ts', tinyProgram(long))
    expect(await buildProject({ folder, outDir, evaluator })).toMatchObject({
      files: [],
      failure: { code: 'ENAMETOOLONG' },
    })
    expect(readdirSync(outDir)).toEqual(['a.program.json'])
    expect(readFileSync(built!.file, 'utf8')).toBe(text)
  })

  it('may run several times at once', async () => {
    const { folder } = projectOf({ 'programs/a.ts': tinyProgram('a'), 'programs/b.ts': tinyProgram('b') })
    const outDir = join(folder, 'out')
    const all = await Promise.all(Array.from({ length: 6 }, () => buildProject({ folder, outDir, evaluator })))
    expect(all.map(({ failure }) => failure)).toEqual(all.map(() => undefined))
    expect(readdirSync(outDir).toSorted()).toEqual(['a.program.json', 'b.program.json'])
  })

  it('refuses ids that differ only in case, whose artifacts would be one file on many disks', async () => {
    const { folder } = projectOf({ 'programs/a.ts': tinyProgram('shop'), 'programs/b.ts': tinyProgram('Shop') })
    const outDir = join(folder, 'dist')
    const { files, errors } = await buildProject({ folder, outDir, evaluator })
    expect(files).toEqual([])
    expect(errors.map(({ message }) => message)).toEqual([
      'programs/a.ts:2:30 Program ids "shop" and "Shop" differ only in case: disks that ignore case have one file for both, so change one of them',
    ])
    expect((await compileProject({ folder, evaluator })).errors).toEqual([])
  })

  it('writes nothing when one Program fails, and reports all errors', async () => {
    const { folder } = projectOf({
      'programs/a.ts': tinyProgram('a'),
      'programs/b.ts': tinyProgram('b', 'setTimeout(() => {}, 1)'),
      'programs/c.ts': tinyProgram('c', 'return ('),
      'programs/d.ts': tinyProgram('a'),
    })
    const { files, errors } = await buildProject({ folder, outDir: join(folder, 'out'), evaluator })
    expect(files).toEqual([])
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^programs\/a\.ts:2:30 Program id "a" is also used by programs\/d\.ts:2:30/),
      expect.stringMatching(/^programs\/b\.ts:3:3 setTimeout/),
      expect.stringMatching(/^programs\/c\.ts:4:1 /),
      expect.stringMatching(/^programs\/d\.ts:2:30 Program id "a" is also used by programs\/a\.ts:2:30/),
    ])
    expect(readdirSync(folder)).toEqual(['programs'])
  })

  it('warns of what seems to be read, and is not', async () => {
    const { folder } = projectOf({
      'wes.config.json': '{ "programs": ["./programs/**/*.ts", "flows/*.ts", "!old/**"] }',
      'wes.config.ts': 'export default { programs: ["./programs/**/*.ts", "flows/*.ts", "!old/**"] }',
      'programs/a.ts': tinyProgram('a'),
      'programs/a.js': tinyProgram('a'),
      'programs/b.tsx': tinyProgram('b'),
      'programs/view.tsx': 'export const view = 1',
      'lib/c.js': tinyProgram('c'),
      'programs/d.ts': "const d = { id: 'd', async run() {} } satisfies object\nexport default d",
      'programs/e.ts': "export const e = () => 1\nexport class E {}\nexport default { id: 'e' }",
    })
    const { programs, warnings } = await compileProject({ folder, evaluator })
    expect(programs.map(({ id }) => id)).toEqual(['a'])
    expect(warnings).toEqual([
      'wes.config.json is not read, because there is a wes.config.ts: keep one of them',
      'wes.config.ts: "flows/*.ts" in "programs" matches no module',
      'programs/b.tsx calls defineProgram, but is not read because of its ending: rename it, or name it in "programs" of wes.config.ts',
      'programs/d.ts:1:11 an object with id and run is no Program, so it is not deployed: export default defineProgram({ id }, run)',
    ])
  })

  it('reports a missing folder', async () => {
    await expect(compileProject({ folder: '/no/such/folder', evaluator })).rejects.toThrow(
      'the project folder /no/such/folder does not exist',
    )
  })
})
