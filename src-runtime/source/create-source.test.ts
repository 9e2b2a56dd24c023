import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createCompiler } from './compile.ts'
import { createSource, SLOW_MS } from './create-source.ts'
import { createSourceDeployments } from './source-deployments.ts'
import { createLookAtProject } from './project-view.ts'
import { discover } from './discover.ts'
import { changeTimers, NEVER_MS } from '../shared/change-timers.test-support.ts'
import { statOf } from '../shared/stat-of.ts'
import { nodeFork, type Fork } from '../shared/fork.ts'
import { pause } from '../shared/pause.ts'
import { createEvaluator, type Evaluator } from './evaluator.ts'
import { WAITED_FOR_MS } from './late-evaluations.ts'
import { createProject, tinyProgram, type TestProject } from './project.test-support.ts'
import type { Source, SourceArtifact, SourceDeployment, SourceEvent, SourcePlace, SourceVersions } from './source.ts'

/** Of a Program: its id, after that of its project unless that is the default one. */
const keyOf = (projectId: string, programId: string) =>
  projectId === 'default' ? programId : `${projectId}/${programId}`

/** Stores versions in memory. Each project exists, except one named `missing`. */
const createVersions = () => {
  const stored = new Map<string, { artifacts: SourceArtifact[]; place: SourcePlace; isRetired: boolean }>()
  let refusal: string | undefined
  let breakdowns = 0
  let missingExists = false
  const versions: SourceVersions = {
    deploy: (artifact, place): Promise<SourceDeployment> => {
      if (breakdowns > 0) {
        breakdowns--
        return Promise.reject(new Error('the disk is full'))
      }
      if (refusal !== undefined) return Promise.resolve({ kind: 'refused', message: refusal })
      const projectId = place.project ?? 'default'
      if (projectId === 'missing' && !missingExists) return Promise.resolve({ kind: 'no_project' })
      const key = keyOf(projectId, artifact.id)
      const known = stored.get(key)
      const previousFolder = known?.place.folder
      const isSame = JSON.stringify(known?.artifacts.at(-1)) === JSON.stringify(artifact)
      const artifacts = isSame ? known!.artifacts : [...(known?.artifacts ?? []), artifact]
      stored.set(key, { artifacts, place, isRetired: false })
      return Promise.resolve({
        kind: isSame ? 'unchanged' : 'created',
        versionNumber: artifacts.length,
        projectId,
        ...(previousFolder !== undefined && { previousFolder }),
      })
    },
    retire: (projectId, programId) => {
      if (breakdowns > 0) {
        breakdowns--
        return Promise.reject(new Error('the disk is full'))
      }
      stored.get(keyOf(projectId, programId))!.isRetired = true
      return Promise.resolve()
    },
    deployedFrom: (folder) =>
      Promise.resolve(
        [...stored.values()].flatMap(({ artifacts, place, isRetired }) =>
          place.folder === folder && !isRetired
            ? [{ projectId: place.project ?? 'default', programId: artifacts[0]!.id, path: place.path }]
            : [],
        ),
      ),
  }
  return {
    ...versions,
    stored,
    refuse: (message: string | undefined) => {
      refusal = message
    },
    breakDown: (times: number) => {
      breakdowns = times
    },
    createMissing: () => {
      missingExists = true
    },
    codeOf: (id: string) => stored.get(id)?.artifacts.at(-1)?.program.code ?? '',
  }
}

type Versions = ReturnType<typeof createVersions>

type Rig = {
  readonly project: TestProject
  readonly source: Source
  readonly versions: Versions
  readonly events: SourceEvent[]
  /** Waits for the next event of a kind that was not returned yet. */
  next<Kind extends SourceEvent['kind']>(kind: Kind): Promise<Extract<SourceEvent, { kind: Kind }>>
}

/** How long others wait for an evaluation, in place of 3 s. */
const othersWait = (waitMs: number): void =>
  changeTimers((ms) => (ms >= WAITED_FOR_MS && ms < WAITED_FOR_MS + 1_000 ? waitMs : ms))

/** An evaluation that runs after this is given up at once, in place of after 15 s. */
const giveUp = (): void => changeTimers((ms) => (ms === 15_000 ? 0 : ms))

/** Code that takes so long, without using the processor. Programs may not name what it uses. */
const sleep = (ms: number) =>
  `(({ ['Atomics']: atomics, ['SharedArrayBuffer']: Buffer }) => atomics.wait(new Int32Array(new Buffer(4)), 0, 0, ${ms}))(globalThis)`

const sharedEvaluator = createEvaluator()
afterAll(() => sharedEvaluator.stop())

const start = async (
  project: TestProject,
  {
    versions = createVersions(),
    watch = true,
    evaluator = sharedEvaluator,
  }: { versions?: Versions; watch?: boolean; evaluator?: Evaluator } = {},
): Promise<Rig> => {
  const source = createSource({ folder: project.folder, versions, log: pino({ level: 'silent' }), watch, evaluator })
  const events: SourceEvent[] = []
  let waitedFor = 0
  source.onEvent((event) => events.push(event))
  onTestFinished(() => project.dispose())
  onTestFinished(() => source.stop())
  await source.start()
  return {
    project,
    source,
    versions,
    events,
    next: async (kind) => {
      const at = await vi.waitFor(
        () => {
          const found = events.findIndex((event, index) => index >= waitedFor && event.kind === kind)
          if (found === -1)
            throw new Error(`no ${kind} event: ${JSON.stringify(events.slice(waitedFor).map((event) => event.kind))}`)
          return found
        },
        { interval: 5 },
      )
      waitedFor = at + 1
      return events[at] as never
    },
  }
}

const started = (sources: Readonly<Record<string, string>>): Promise<Rig> => start(createProject(sources))

describe('discovery', () => {
  it('deploys every Program module below programs, and nothing else', async () => {
    const { source, events } = await started({
      'programs/a.ts': tinyProgram('a'),
      'programs/deep/er/b.ts': tinyProgram('b'),
      'programs/a.test.ts': tinyProgram('test'),
      'programs/a.effects.ts': tinyProgram('effects'),
      'programs/helper.ts': 'export const now = () => Date.now()',
      'programs/node_modules/dependency/c.ts': tinyProgram('dependency'),
      'programs/.hidden/d.ts': tinyProgram('hidden'),
      'elsewhere/e.ts': tinyProgram('elsewhere'),
    })
    expect(source.status().programs).toEqual([
      { id: 'a', path: 'programs/a.ts' },
      { id: 'b', path: 'programs/deep/er/b.ts' },
    ])
    expect(source.status().errors).toEqual([])
    expect(events.at(-1)).toMatchObject({ kind: 'ready', programs: 2, failed: 0 })
    expect(events.filter(({ kind }) => kind === 'discovered')).toHaveLength(2)
  })

  it('follows no link to a folder above it', async () => {
    const project = createProject({ 'programs/a.ts': '', 'elsewhere/b.ts': '' })
    onTestFinished(project.dispose)
    symlinkSync('..', join(project.folder, 'programs/above'))
    symlinkSync('/', join(project.folder, 'programs/root'))
    const { files, folders } = await discover(project.folder, ['programs/**/*.ts'])
    expect([files, folders]).toEqual([['programs/a.ts'], [join(project.folder, 'programs')]])
  })

  it('follows each link to a folder once, also in circles', async () => {
    const project = createProject({ 'programs/a.ts': tinyProgram('a'), 'shared/b.ts': tinyProgram('b') })
    symlinkSync(join(project.folder, 'shared'), join(project.folder, 'programs/linked'))
    symlinkSync(join(project.folder, 'programs'), join(project.folder, 'shared/circle'))
    const { source } = await start(project)
    expect(source.status().programs.map(({ id }) => id)).toEqual(['a', 'b'])
  })

  it('watches the folder of a file behind a link', async () => {
    const project = createProject({ 'shared/a.ts': '', 'programs/b.ts': '' })
    onTestFinished(project.dispose)
    symlinkSync('../shared/a.ts', join(project.folder, 'programs/a.ts'))
    const { files, folders } = await discover(project.folder, ['programs/**/*.ts'])
    expect(files).toEqual(['programs/a.ts', 'programs/b.ts'])
    expect(folders.toSorted()).toEqual([join(project.folder, 'programs'), join(project.folder, 'shared')])
  })

  it('names a folder with several names always the same', async () => {
    const project = createProject({ 'programs/a/x.ts': '', 'programs/a/deep/y.ts': '' })
    onTestFinished(project.dispose)
    for (const [target, link] of [
      ['a', 'programs/0'],
      ['a', 'programs/b'],
      ['a/deep', 'programs/c'],
    ])
      symlinkSync(target!, join(project.folder, link!))
    const scans = await Promise.all(Array.from({ length: 500 }, () => discover(project.folder, ['programs/**/*.ts'])))
    const found = new Set(scans.map(({ files }) => files.join(' ')))
    expect([...found]).toEqual(['programs/a/deep/y.ts programs/a/x.ts'])
  })

  it('reports once that it takes long', async () => {
    changeTimers((ms) => (ms === SLOW_MS ? 0 : ms))
    const { project, events } = await started({ 'programs/a.ts': tinyProgram('a') })
    expect(events[0]).toEqual({ kind: 'slow', folder: project.folder })
    expect(events.slice(1).map(({ kind }) => kind)).toEqual(['discovered', 'ready'])
  })

  it('reports unchanged Programs after a restart', async () => {
    const versions = createVersions()
    const project = createProject({ 'programs/a.ts': tinyProgram('a') })
    const first = await start(project, { versions })
    await first.source.stop()
    const { events } = await start(project, { versions })
    expect(events).toContainEqual(expect.objectContaining({ kind: 'discovered', versionNumber: 1, isNew: false }))
    expect(versions.stored.get('a')!.artifacts).toHaveLength(1)
  })

  it('retires Programs that were deleted while it was stopped, and keeps those that do not compile', async () => {
    const versions = createVersions()
    const project = createProject({ 'programs/a.ts': tinyProgram('a'), 'programs/b.ts': tinyProgram('b') })
    const first = await start(project, { versions })
    await first.source.stop()
    project.remove('programs/a.ts')
    project.write('programs/b.ts', 'import { defineProgram } from "workflow-execution-service" oops(')
    const { events } = await start(project, { versions })
    expect(events).toContainEqual({ kind: 'deleted', programId: 'a', path: 'programs/a.ts' })
    expect(versions.stored.get('a')!.isRetired).toBe(true)
    expect(versions.stored.get('b')!.isRetired).toBe(false)
  })

  it('warns when a Program was last deployed from another folder', async () => {
    const versions = createVersions()
    const other = await start(createProject({ 'programs/a.ts': tinyProgram('a') }), { versions })
    const here = await start(createProject({ 'programs/a.ts': tinyProgram('a', 'return 2') }), { versions })
    const { message } = await here.next('warning')
    expect(message).toContain(other.project.folder)
    expect(message).toContain(here.project.folder)
  })

  it('warns once of a package that uses what Programs do not have', async () => {
    const program = (id: string) => `import { now } from 'dep'\n${tinyProgram(id, 'return now()')}`
    const { events, project, next, source } = await started({
      'node_modules/dep/package.json': '{ "name": "dep", "type": "module" }',
      'node_modules/dep/index.js': 'export const now = () => performance.now() + process.uptime()',
      'programs/a.ts': program('a'),
      'programs/b.ts': program('b'),
    })
    project.save('programs/b.ts', `${program('b')}\n`)
    await next('changed')
    expect(events.filter(({ kind }) => kind === 'warning')).toEqual([
      {
        kind: 'warning',
        message:
          'dep uses performance and process, which Programs do not have: the parts of dep that need them fail\n  imported through programs/a.ts → node_modules/dep/index.js',
      },
    ])
    expect(source.status().warnings).toMatchObject([{ path: 'programs/a.ts', line: 3 }])
  })

  it('warns again of what was mended meanwhile', async () => {
    const hasty = tinyProgram('a', 'ctx.sleep(1)')
    const { project, next, source } = await started({ 'programs/a.ts': hasty })
    expect(source.status().warnings).toEqual([
      expect.objectContaining({
        path: 'programs/a.ts',
        line: 3,
        column: 3,
        frame: expect.stringContaining('> 3 |   ctx.sleep(1)'),
      }),
    ])
    project.save('programs/a.ts', tinyProgram('a', 'await ctx.sleep(1)'))
    await next('changed')
    expect(source.status().warnings).toEqual([])
    project.save('programs/a.ts', hasty)
    expect((await next('warning')).message).toMatch(/^programs\/a\.ts:3:3 ctx\.sleep is called without await/)
  })

  it('notices a package whose new files are copied over the old ones', async () => {
    const sources = {
      'node_modules/dep/package.json': '{ "name": "dep", "type": "module", "version": "1.0.0" }',
      'node_modules/dep/index.js': 'export const rate = 1000',
      'programs/a.ts': `import { rate } from 'dep'\n${tinyProgram('a', 'return rate')}`,
      'later/b.ts': tinyProgram('b'),
    }
    const project = createProject(sources)
    // What was written long ago is not scanned again soon, and after a scan that finds no new folder nothing is.
    for (const old of Object.keys(sources)) utimesSync(join(project.folder, old), 1, 1)
    const { next, versions } = await start(project)
    await next('ready')
    project.rename('later/b.ts', 'programs/b.ts')
    expect(await next('discovered')).toMatchObject({ programId: 'b' })
    project.write('node_modules/dep/index.js', 'export const rate = 2000')
    project.write('node_modules/dep/package.json', '{ "name": "dep", "type": "module", "version": "1.0.10" }')
    expect(await next('changed')).toMatchObject({ programId: 'a', versionNumber: 2 })
    expect(versions.codeOf('a')).toContain('2e3')
  })

  it('ignores changes if it does not watch', async () => {
    const { project, source, versions } = await start(createProject({ 'programs/a.ts': tinyProgram('a') }), {
      watch: false,
    })
    project.save('programs/a.ts', tinyProgram('a', 'return 2'))
    await source.start()
    expect(source.status().watching).toBe(false)
    expect(versions.codeOf('a')).toContain('return 2')
  })
})

describe('a stop', () => {
  it.each(['compiles', 'stores'])('waits for little of what the first scan %s', async (phase) => {
    const names = Array.from({ length: 100 }, (_, index) => `p${index}`)
    const project = createProject(Object.fromEntries(names.map((name) => [`programs/${name}.ts`, tinyProgram(name)])))
    onTestFinished(project.dispose)
    const stored = createVersions()
    const deploy: SourceVersions['deploy'] = (...args) => {
      void source.stop()
      return stored.deploy(...args)
    }
    const evaluator = createEvaluator()
    let evaluations = 0
    const evaluate: Evaluator['evaluate'] = (...args) => {
      evaluations += 1
      const running = evaluator.evaluate(...args)
      if (phase === 'compiles') {
        void source.stop()
        evaluator.stop()
      }
      return running
    }
    const source = createSource({
      folder: project.folder,
      versions: { ...stored, deploy },
      log: pino({ level: 'silent' }),
      watch: true,
      evaluator: { ...evaluator, evaluate },
    })
    const kinds = new Set<string>()
    source.onEvent(({ kind }) => kinds.add(kind))
    await source.start()
    await source.stop()
    evaluator.stop()
    expect(evaluations).toBe(1)
    expect(stored.stored.size).toBeLessThan(names.length / 10)
    expect([...kinds]).toEqual(phase === 'stores' ? ['discovered'] : [])
  })

  it('ends the evaluation of a definition that never ends, and reports nothing of it', async () => {
    const project = createProject({
      'programs/a.ts': `import { defineProgram } from 'workflow-execution-service'\nconst id = (() => { for (;;); })()\nexport default defineProgram({ id }, async () => 1)`,
      'programs/b.ts': tinyProgram('b'),
    })
    onTestFinished(project.dispose)
    const begun = Promise.withResolvers<void>()
    const fork: Fork = {
      ...nodeFork,
      start: (...args) => {
        const child = nodeFork.start(...args)
        child.on('spawn', begun.resolve)
        return child
      },
    }
    const log = pino({ level: 'silent' })
    const source = createSource({ folder: project.folder, versions: createVersions(), log, watch: true, fork })
    const events: SourceEvent[] = []
    source.onEvent((event) => events.push(event))
    const start = source.start()
    await begun.promise
    await Promise.all([source.stop(), source.stop(), start])
    expect(events).toEqual([])
  })
})

describe('a save', () => {
  it('makes a new version, whether the file is overwritten or replaced', async () => {
    const { project, next, versions } = await started({ 'programs/a.ts': tinyProgram('a') })
    project.write('programs/a.ts', tinyProgram('a', 'return 2'))
    expect(await next('changed')).toMatchObject({ programId: 'a', path: 'programs/a.ts', versionNumber: 2 })
    project.save('programs/a.ts', tinyProgram('a', 'return 3'))
    expect(await next('changed')).toMatchObject({ versionNumber: 3 })
    expect(versions.codeOf('a')).toContain('return 3')
  })

  it('that changes nothing makes no version', async () => {
    const { project, next, versions } = await started({ 'programs/a.ts': tinyProgram('a') })
    project.save('programs/a.ts', tinyProgram('a'))
    expect(await next('unchanged')).toMatchObject({ programId: 'a', versionNumber: 1, wasFailing: false })
    expect(versions.stored.get('a')!.artifacts).toHaveLength(1)
  })

  it('makes its content the newest version again after another one was uploaded, unless it does not compile', async () => {
    const { project, next, versions } = await started({ 'programs/a.ts': tinyProgram('a') })
    const { artifacts, place } = versions.stored.get('a')!
    const upload = { ...artifacts[0]!, program: { ...artifacts[0]!.program, code: '({ run: () => 2 })' } }
    await versions.deploy(upload, place)
    project.save('programs/a.ts', tinyProgram('a', 'return (2'))
    await next('failed')
    expect(versions.codeOf('a')).toBe(upload.program.code)
    project.save('programs/a.ts', tinyProgram('a'))
    expect(await next('changed')).toMatchObject({ programId: 'a', versionNumber: 3 })
    expect(versions.codeOf('a')).toBe(artifacts[0]!.program.code)
  })

  it('of a shared module makes new versions only of the Programs that use it', async () => {
    const using = (id: string) =>
      `import { defineProgram } from 'workflow-execution-service'\nimport { rate } from '../shared/rate.ts'\nexport default defineProgram({ id: '${id}' }, async () => rate)\n`
    const { project, next, versions, events } = await started({
      'programs/a.ts': using('a'),
      'programs/b.ts': using('b'),
      'programs/c.ts': tinyProgram('c'),
      'shared/rate.ts': 'export const rate = 1',
    })
    project.save('shared/rate.ts', 'export const rate = 2')
    const ids = [(await next('changed')).programId, (await next('changed')).programId]
    expect(ids.toSorted()).toEqual(['a', 'b'])
    expect(versions.stored.get('c')!.artifacts).toHaveLength(1)
    expect(events.filter((event) => event.kind === 'unchanged')).toEqual([])
  })

  it('of effects makes a new version', async () => {
    const { project, next, versions } = await started({
      'programs/a.ts': `import { defineProgram } from 'workflow-execution-service'\nimport { pay } from './a.effects.ts'\nexport default defineProgram({ id: 'a' }, async () => pay())\n`,
      'programs/a.effects.ts': 'export const pay = async () => 1',
    })
    project.save('programs/a.effects.ts', 'export const pay = async () => 2')
    expect(await next('changed')).toMatchObject({ programId: 'a', versionNumber: 2 })
    expect(versions.stored.get('a')!.artifacts.at(-1)!.effects!.code).toContain('=> 2')
  })

  it('of TypeScript in a linked package that effects import makes a new version', async () => {
    const project = createProject({
      'programs/a.ts': `import { defineProgram } from 'workflow-execution-service'\nimport { pay } from './a.effects.ts'\nexport default defineProgram({ id: 'a' }, async () => pay())\n`,
      'programs/a.effects.ts': `import { Kind } from 'kinds'\nexport const pay = async () => Kind.a`,
      'packages/kinds/package.json': '{"type":"module","exports":"./index.ts"}',
      'packages/kinds/index.ts': `export enum Kind { a = 'one' }`,
    })
    mkdirSync(join(project.folder, 'node_modules'), { recursive: true })
    symlinkSync(join(project.folder, 'packages/kinds'), join(project.folder, 'node_modules/kinds'), 'junction')
    const { versions, next } = await start(project)
    project.save('packages/kinds/index.ts', `export enum Kind { a = 'two' }`)
    expect(await next('changed')).toMatchObject({ programId: 'a', versionNumber: 2 })
    expect(versions.stored.get('a')!.artifacts.at(-1)!.effects!.code).toContain('two')
  })

  it('that does not compile keeps the last good version, and reports the error', async () => {
    const { project, next, source, versions } = await started({ 'programs/a.ts': tinyProgram('a') })
    project.save('programs/a.ts', tinyProgram('a', 'return (2'))
    const { path, errors } = await next('failed')
    expect(path).toBe('programs/a.ts')
    expect(errors[0]!.message).toMatch(/^programs\/a\.ts:4:1 /)
    expect(errors[0]!.frame).toContain('> 4 | })')
    expect(source.status().errors).toEqual(errors)
    expect(versions.stored.get('a')).toMatchObject({ isRetired: false, artifacts: { length: 1 } })
    project.save('programs/a.ts', tinyProgram('a'))
    expect(await next('unchanged')).toMatchObject({ versionNumber: 1, wasFailing: true })
    expect(source.status().errors).toEqual([])
  })

  it.each([
    ['a file in a folder that exists', '../lib/x.ts', 'lib/x.ts'],
    ['a file in folders that do not exist', '../new/deep/x', 'new/deep/x.ts'],
    ['a package beside others', 'late', 'node_modules/late/index.js'],
  ])('that imports %s before it is there compiles once it is there', async (_what, specifier, path) => {
    const project = createProject({
      'programs/a.ts': `import { x } from '${specifier}'\n${tinyProgram('a', 'return x')}`,
      'later/b.ts': tinyProgram('b'),
      'lib/other.txt': '',
      'node_modules/early/index.js': '',
    })
    // What was written long ago is not scanned again soon, and after a scan that finds no new folder nothing is.
    for (const old of ['programs/a.ts', 'later/b.ts']) utimesSync(join(project.folder, old), 1, 1)
    const { next, source } = await start(project)
    expect((await next('failed')).errors[0]?.message).toContain(`Could not resolve "${specifier}"`)
    project.rename('later/b.ts', 'programs/b.ts')
    expect(await next('discovered')).toMatchObject({ programId: 'b' })
    project.write(path, 'export const x = 1')
    expect(await next('discovered')).toMatchObject({ programId: 'a' })
    expect(source.status().errors).toEqual([])
  })

  it.runIf(process.platform === 'linux')('that cannot be read keeps the last good version, with an error', async () => {
    const { project, next, source, versions } = await started({ 'programs/a.ts': tinyProgram('a') })
    // A file that nobody can read, not even root.
    symlinkSync('/proc/self/mem', join(project.folder, 'unreadable'))
    project.rename('unreadable', 'programs/a.ts')
    expect((await next('failed')).errors).toMatchObject([
      { message: 'programs/a.ts:1:1 cannot be read: check its permissions' },
    ])
    expect(versions.stored.get('a')).toMatchObject({ isRetired: false })
    project.save('programs/a.ts', tinyProgram('a'))
    expect(await next('unchanged')).toMatchObject({ wasFailing: true })
    expect(source.status().errors).toEqual([])
  })

  it('that breaks a file keeps its Program, also one that a function of another module defines', async () => {
    const using = (id: string) => `import { program } from '../lib/program.ts'\nexport default program('${id}')`
    const { project, events, next, source, versions } = await started({
      'lib/program.ts': `import { defineProgram } from 'workflow-execution-service'\nexport const program = (id: string) => defineProgram({ id }, async () => 1)`,
      'programs/a.ts': using('a'),
    })
    project.save('programs/a.ts', `${using('a')} +`)
    expect((await next('failed')).errors).toMatchObject([{ path: 'programs/a.ts', line: 2 }])
    expect(versions.stored.get('a')).toMatchObject({ isRetired: false })
    project.save('programs/a.ts', `${using('a')}\nimport './missing.ts'`)
    expect((await next('failed')).errors).toMatchObject([{ path: 'programs/a.ts', line: 3 }])
    project.save('programs/a.ts', using('not an id'))
    expect((await next('failed')).errors[0]!.message).toMatch(/^programs\/a\.ts:2:16 the id of a Program must be/)
    project.save('programs/a.ts', using('a'))
    await next('unchanged')
    expect(source.status().errors).toEqual([])
    expect(events.filter(({ kind }) => kind === 'deleted')).toEqual([])
  })

  it('that breaks the syntax of a module that another one imports is reported once', async () => {
    const { project, events, next, source } = await started({
      'programs/a.ts': `import { one } from './helper.ts'\n${tinyProgram('a', 'return one')}`,
      'programs/helper.ts': 'export const one = 1',
    })
    project.save('programs/helper.ts', 'export const one = ')
    await next('failed')
    project.save('programs/helper.ts', 'export const one = 2')
    await next('changed')
    expect(source.status().errors).toEqual([])
    const failed = events.flatMap((event) => (event.kind === 'failed' ? event.errors : []))
    expect(failed).toMatchObject([{ path: 'programs/helper.ts', line: 1 }])
  })

  it.each(['utf16le', 'latin1'] as const)('in %s is an error, because source is UTF-8', async (encoding) => {
    const { project, next, versions } = await started({ 'programs/a.ts': tinyProgram('a', 'return 1') })
    writeFileSync(join(project.folder, 'programs/a.ts'), Buffer.from(tinyProgram('a', 'return "ü"'), encoding))
    expect((await next('failed')).errors.map(({ message }) => message)).toEqual([
      'programs/a.ts:1:1 is not UTF-8: save it as UTF-8',
    ])
    expect(versions.stored.get('a')).toMatchObject({ isRetired: false, artifacts: { length: 1 } })
    project.save('programs/a.ts', tinyProgram('a', 'return "ü"'))
    expect(await next('changed')).toMatchObject({ versionNumber: 2 })
  })

  it.each(['programs/texts.json', 'programs/texts.ts', 'programs/a.effects.ts'])(
    'of %s in latin1 is an error, because source is UTF-8',
    async (name) => {
      const text = name.endsWith('.json') ? '{ "text": "ü" }' : 'export const text = "ü"'
      const { project, next, source, versions } = await started({
        'programs/texts.json': '{}',
        'programs/texts.ts': 'export const text = ""',
        'programs/a.effects.ts': 'export const text = ""\nexport const act = async () => text',
        'programs/a.ts': `import { defineProgram } from 'workflow-execution-service'
import { act } from './a.effects.ts'
import json from './texts.json'
import { text } from './texts.ts'
export default defineProgram({ id: 'a' }, async () => [await act(), json, text])`,
      })
      expect(source.status().errors).toEqual([])
      const kept = `${text}\n${name.endsWith('.effects.ts') ? 'export const act = async () => text' : ''}`
      writeFileSync(join(project.folder, name), Buffer.from(kept, 'latin1'))
      const { path, errors } = await next('failed')
      expect({ path, message: errors[0]!.message }).toEqual({
        path: 'programs/a.ts',
        message: `${name}:1:1 is not UTF-8: save it as UTF-8`,
      })
      expect(versions.stored.get('a')).toMatchObject({ isRetired: false, artifacts: { length: 1 } })
      project.save(name, kept)
      expect(await next('changed')).toMatchObject({ programId: 'a', versionNumber: 2 })
    },
  )

  it('of another file does not report a broken one as fixed', async () => {
    const { project, next, events } = await started({
      'programs/a.ts': tinyProgram('a'),
      'programs/b.ts': tinyProgram('b'),
    })
    project.save('programs/a.ts', tinyProgram('a', 'return (2'))
    await next('failed')
    project.save('programs/b.ts', tinyProgram('b', 'return 2'))
    expect(await next('changed')).toMatchObject({ programId: 'b' })
    expect(events).not.toContainEqual(expect.objectContaining({ kind: 'unchanged', wasFailing: true }))
    project.save('programs/a.ts', tinyProgram('a'))
    expect(await next('unchanged')).toMatchObject({ programId: 'a', wasFailing: true })
  })

  it('that breaks one Program of a file keeps all of that file as they are', async () => {
    const two = (one: string, other: string) =>
      `import { defineProgram } from 'workflow-execution-service'
export const one = defineProgram({ id: 'one' }, async () => ${one})
export const other = defineProgram({ id: 'other' }, async () => ${other})
`
    const { project, next, versions, source } = await started({ 'programs/a.ts': two('1', '1') })
    project.save('programs/a.ts', two('2', "fetch('x')"))
    expect((await next('failed')).errors[0]!.message).toContain('fetch')
    project.write('programs/b.ts', tinyProgram('b'))
    expect(await next('discovered')).toMatchObject({ programId: 'b' })
    for (const id of ['one', 'other']) {
      expect(versions.stored.get(id)).toMatchObject({ isRetired: false, artifacts: { length: 1 } })
    }
    expect(
      source
        .status()
        .programs.map(({ id }) => id)
        .toSorted(),
    ).toEqual(['b', 'one', 'other'])
    project.save('programs/a.ts', two('2', '2'))
    expect(await next('changed')).toMatchObject({ programId: 'one', versionNumber: 2 })
    expect(await next('changed')).toMatchObject({ programId: 'other', versionNumber: 2 })
  })

  it('in place keeps the Program while the file is empty, and retires it if that stays so', async () => {
    const { project, next, events, source } = await started({ 'programs/a.ts': tinyProgram('a') })
    const file = join(project.folder, 'programs/a.ts')
    // As if it were being written for longer than a scan takes.
    const beingWritten = () => utimesSync(file, Date.now() / 1000, Date.now() / 1000 + 1.9)
    project.write('programs/a.ts', '')
    beingWritten()
    project.write('programs/b.ts', tinyProgram('b'))
    await next('ready')
    expect(await next('discovered')).toMatchObject({ programId: 'b' })
    expect(source.status().programs.map(({ id }) => id)).toEqual(['a', 'b'])
    project.write('programs/a.ts', tinyProgram('a', 'return 2'))
    expect(await next('changed')).toMatchObject({ programId: 'a', versionNumber: 2 })
    expect(events.filter(({ kind }) => kind === 'deleted' || kind === 'failed')).toEqual([])
    project.write('programs/a.ts', '')
    expect(await next('deleted')).toMatchObject({ programId: 'a' })
  })

  it('in place keeps the Program of an earlier run while the file is empty, and retires it if that stays so', async () => {
    const versions = createVersions()
    const project = createProject({ 'programs/a.ts': tinyProgram('a') })
    const first = await start(project, { versions })
    await first.source.stop()
    const file = join(project.folder, 'programs/a.ts')
    project.write('programs/a.ts', '')
    // As if it were being written for longer than a scan takes.
    utimesSync(file, Date.now() / 1000, Date.now() / 1000 + 1.9)
    const { events, next } = await start(project, { versions })
    expect(versions.stored.get('a')!.isRetired).toBe(false)
    project.write('programs/a.ts', tinyProgram('a', 'return 2'))
    expect(await next('discovered')).toMatchObject({ programId: 'a', versionNumber: 2 })
    expect(events.filter(({ kind }) => kind === 'deleted' || kind === 'failed')).toEqual([])
    project.write('programs/a.ts', '')
    expect(await next('deleted')).toMatchObject({ programId: 'a' })
  })

  it('that moves a Program to another file keeps it', async () => {
    const { project, next, events } = await started({ 'programs/a.ts': tinyProgram('a') })
    project.write('programs/b.ts', tinyProgram('a'))
    project.write('programs/a.ts', 'export const nothing = 1')
    expect(await next('changed')).toMatchObject({ programId: 'a', path: 'programs/b.ts' })
    project.write('programs/c.ts', tinyProgram('c'))
    expect(await next('discovered')).toMatchObject({ programId: 'c' })
    expect(events.filter(({ kind }) => kind === 'deleted' || kind === 'failed')).toEqual([])
  })

  it('in several steps makes one version, without reports in between', async () => {
    const { project, next, events } = await started({ 'programs/a.ts': tinyProgram('a') })
    const text = tinyProgram('a', 'return 2')
    project.write('programs/a.ts', '')
    project.write('programs/a.ts', text.slice(0, 100))
    await new Promise((resolve) => setImmediate(resolve))
    project.write('programs/a.ts', text)
    expect(await next('changed')).toMatchObject({ versionNumber: 2 })
    expect(events.map(({ kind }) => kind)).toEqual(['discovered', 'ready', 'changed'])
  })

  it.each(['.git', '.bare/worktrees/mine'])(
    'by git makes one version, once git has released %s/index.lock',
    async (git) => {
      const lock = `${git}/index.lock`
      const sources = (value: string) => ({
        'programs/a.ts': `import { value } from '../lib/value.ts'\n${tinyProgram('a', `return 'a ${value}' + value`)}`,
        'lib/value.ts': `export const value = 'value ${value}'`,
      })
      const { project, next, events, versions } = await started({
        ...sources('of before'),
        ...(git === '.git' ? {} : { '.git': `gitdir: ${git}\n` }),
        [`${git}/HEAD`]: '',
      })
      project.write(lock, '')
      for (const [path, text] of Object.entries(sources('of now'))) {
        project.save(path, text)
        // Longer than a save needs.
        await pause(400)
      }
      project.remove(lock)
      expect(await next('changed')).toMatchObject({ versionNumber: 2 })
      expect(events.map(({ kind }) => kind)).toEqual(['discovered', 'ready', 'changed'])
      expect(versions.codeOf('a')).toMatch(/value of now[^]*a of now/)
    },
  )

  it.each(['precedes', 'overtakes'])('by git that %s the first scan ends before the project is ready', async (how) => {
    const project = createProject({ 'programs/old.ts': tinyProgram('old') })
    const begun = Promise.withResolvers<void>()
    const beginToWrite = () => {
      project.write('.git/index.lock', '')
      project.remove('programs')
      begun.resolve()
    }
    if (how === 'precedes') beginToWrite()
    else project.write('wes.config.ts', 'export default {}')
    // The scan reads the config before it looks for Programs.
    const evaluate: Evaluator['evaluate'] = (code, signal) => {
      if (statOf(join(project.folder, 'programs/old.ts')) !== undefined) beginToWrite()
      return sharedEvaluator.evaluate(code, signal)
    }
    const starting = start(project, { evaluator: { ...sharedEvaluator, evaluate } })
    await begun.promise
    // Longer than a first scan needs.
    await pause(400)
    project.write('programs/a.ts', tinyProgram('a'))
    project.remove('.git/index.lock')
    const { events, next } = await starting
    expect(await next('ready')).toMatchObject({ programs: 1, failed: 0 })
    expect(events.map(({ kind }) => kind)).toEqual(['discovered', 'ready'])
  })

  it('counts although git has left its lock behind', async () => {
    const { project, next } = await started({ 'programs/a.ts': tinyProgram('a') })
    project.write('.git/index.lock', '')
    const before = new Date(Date.now() - 10_000)
    utimesSync(join(project.folder, '.git/index.lock'), before, before)
    project.save('programs/a.ts', tinyProgram('a', 'return 2'))
    expect(await next('changed')).toMatchObject({ versionNumber: 2 })
  })

  it('that the sandbox refuses is reported where its module throws, else at the definition', async () => {
    const { project, next, versions, source } = await started({ 'programs/a.ts': tinyProgram('a') })
    versions.refuse('its code throws')
    project.save('programs/a.ts', tinyProgram('a', 'return 2'))
    const { errors } = await next('failed')
    expect(errors[0]!.message).toBe('programs/a.ts:2:30 its code throws')
    const stack = 'no rate\n    at rate (shared/rate.ts:5:9)\n    at <anonymous> (programs/a.ts:1:3)'
    versions.refuse(stack)
    project.save('programs/a.ts', tinyProgram('a', 'return 4'))
    expect((await next('failed')).errors).toMatchObject([
      { line: 1, column: 3, message: `programs/a.ts:1:3 ${stack}`, frame: expect.stringMatching(/^> 1 \|/) as string },
    ])
    versions.refuse(undefined)
    project.save('programs/a.ts', tinyProgram('a', 'return 3'))
    expect(await next('changed')).toMatchObject({ versionNumber: 2 })
    expect(source.status().errors).toEqual([])
  })
})

describe('a store that fails', () => {
  it('is retried without another save', async () => {
    const { project, next, versions, source } = await started({ 'programs/a.ts': tinyProgram('a') })
    versions.breakDown(1)
    project.save('programs/a.ts', tinyProgram('a', 'return 2'))
    expect((await next('failed')).errors[0]!.message).toBe(
      'programs/a.ts:2:30 Program "a" could not be stored: the disk is full',
    )
    expect(await next('changed')).toMatchObject({ versionNumber: 2 })
    expect(source.status().errors).toEqual([])
  })

  it('retires a Program that was deleted, without another change', async () => {
    const { project, versions, next } = await started({ 'programs/a.ts': tinyProgram('a') })
    versions.breakDown(1)
    project.remove('programs/a.ts')
    expect((await next('warning')).message).toMatch(/could not be read: the disk is full$/)
    expect(await next('deleted')).toMatchObject({ programId: 'a' })
    expect(versions.stored.get('a')?.isRetired).toBe(true)
  })
})

describe('created and deleted files', () => {
  it('a new file adds a Program', async () => {
    const { project, next } = await started({ 'programs/a.ts': tinyProgram('a') })
    project.write('programs/deep/er/b.ts', tinyProgram('b'))
    expect(await next('ready')).toBeDefined()
    expect(await next('discovered')).toMatchObject({ programId: 'b', path: 'programs/deep/er/b.ts', isNew: true })
    project.save('programs/deep/er/b.ts', tinyProgram('b', 'return 2'))
    expect(await next('changed')).toMatchObject({ programId: 'b', versionNumber: 2 })
  })

  it('a deleted file retires its Program until the file is restored', async () => {
    const { project, next, versions, source } = await started({
      'programs/a.ts': tinyProgram('a'),
      'programs/b.ts': tinyProgram('b'),
    })
    project.remove('programs/a.ts')
    expect(await next('deleted')).toEqual({ kind: 'deleted', programId: 'a', path: 'programs/a.ts' })
    expect(versions.stored.get('a')!.isRetired).toBe(true)
    expect(source.status().programs.map(({ id }) => id)).toEqual(['b'])
    project.write('programs/a.ts', tinyProgram('a'))
    expect(await next('discovered')).toMatchObject({ programId: 'a', versionNumber: 1, isNew: false })
    expect(versions.stored.get('a')!.isRetired).toBe(false)
  })

  it('a renamed file keeps its Program', async () => {
    const { project, next, versions, events } = await started({ 'programs/a.ts': tinyProgram('a') })
    project.rename('programs/a.ts', 'programs/renamed/other.ts')
    expect(await next('changed')).toMatchObject({ programId: 'a', path: 'programs/renamed/other.ts' })
    expect(versions.stored.get('a')!.isRetired).toBe(false)
    expect(events.filter(({ kind }) => kind === 'deleted' || kind === 'failed')).toEqual([])
  })

  it('a file that is renamed to an ending which is not read is named in a warning', async () => {
    const { project, next, source } = await started({
      'programs/a.ts': tinyProgram('a'),
      'programs/b.ts': tinyProgram('b'),
    })
    project.rename('programs/a.ts', 'programs/a.tsx')
    expect((await next('warning')).message).toBe(
      'programs/a.tsx calls defineProgram, but is not read because of its ending: rename it, or name it in "programs" of wes.config.ts',
    )
    expect(await next('deleted')).toMatchObject({ programId: 'a' })
    expect(source.status().warnings).toMatchObject([{ path: 'programs/a.tsx', line: 1, column: 1, frame: '' }])
    project.remove('programs/a.tsx')
    expect(await next('fixed')).toMatchObject({ path: 'programs/a.tsx' })
    expect(source.status().warnings).toEqual([])
  })

  it('an exported object that looks like a Program is named in a warning, until it is one', async () => {
    const { events, project, next, source } = await started({
      'programs/a.ts': tinyProgram('a'),
      'programs/b.ts': "export default { id: 'b', run: async () => 1 }",
    })
    await vi.waitFor(() =>
      expect(source.status().warnings).toMatchObject([{ path: 'programs/b.ts', line: 1, column: 16 }]),
    )
    project.save('programs/b.ts', tinyProgram('b'))
    expect(await next('discovered')).toMatchObject({ programId: 'a' })
    expect(await next('discovered')).toMatchObject({ programId: 'b' })
    await vi.waitFor(() => expect(source.status().warnings).toEqual([]))
    expect(events.filter(({ kind }) => kind === 'warning')).toHaveLength(1)
  })

  it('a Program that is removed from its file, or gets another id, is retired', async () => {
    const { project, next } = await started({ 'programs/a.ts': tinyProgram('a') })
    project.save('programs/a.ts', tinyProgram('b'))
    expect(await next('discovered')).toMatchObject({ programId: 'a' })
    expect(await next('discovered')).toMatchObject({ programId: 'b' })
    expect(await next('deleted')).toMatchObject({ programId: 'a' })
    project.save('programs/a.ts', 'export const nothing = 1')
    expect(await next('deleted')).toMatchObject({ programId: 'b' })
  })

  it('a folder may be created later, be deleted and created again', async () => {
    const { project, next } = await started({ 'package.json': '{}' })
    project.write('programs/a.ts', tinyProgram('a'))
    expect(await next('discovered')).toMatchObject({ programId: 'a' })
    project.remove('programs')
    expect(await next('deleted')).toMatchObject({ programId: 'a' })
    project.write('programs/a.ts', tinyProgram('a', 'return 2'))
    expect(await next('discovered')).toMatchObject({ programId: 'a', versionNumber: 2 })
    project.save('programs/a.ts', tinyProgram('a', 'return 3'))
    expect(await next('changed')).toMatchObject({ versionNumber: 3 })
  })

  it('the project folder itself may be created later', async () => {
    const parent = createProject()
    onTestFinished(parent.dispose)
    const project = createProject({}, { at: join(parent.folder, 'later', 'project') })
    const { next, source } = await start(project)
    expect(source.status()).toMatchObject({ isMissing: true, programs: [], errors: [] })
    mkdirSync(join(parent.folder, 'beside/programs'), { recursive: true })
    writeFileSync(join(parent.folder, 'beside/programs/a.ts'), tinyProgram('a'))
    mkdirSync(join(parent.folder, 'later'))
    renameSync(join(parent.folder, 'beside'), project.folder)
    expect(await next('discovered')).toMatchObject({ programId: 'a' })
    expect(source.status().isMissing).toBe(false)
  })

  it('the project folder itself may be deleted, which is said, and come back, also while it is not read', async () => {
    const { project, next, source, versions } = await started({ 'programs/a.ts': tinyProgram('a') })
    const { folder } = source.status()
    const aside = `${folder} aside`
    renameSync(folder, aside)
    onTestFinished(() => rmSync(aside, { recursive: true, force: true }))
    expect(await next('folder')).toEqual({ kind: 'folder', folder, isMissing: true })
    expect(source.status().isMissing).toBe(true)
    expect(await next('deleted')).toMatchObject({ programId: 'a' })
    renameSync(aside, folder)
    expect(await next('folder')).toEqual({ kind: 'folder', folder, isMissing: false })
    expect(source.status().isMissing).toBe(false)
    project.save('programs/a.ts', tinyProgram('a', 'return 2'))
    expect(await next('discovered')).toMatchObject({ programId: 'a' })
    await source.stop()
    renameSync(folder, aside)
    const again = await start(project, { versions })
    expect(await again.next('deleted')).toMatchObject({ programId: 'a' })
    expect(versions.stored.get('a')?.isRetired).toBe(true)
    renameSync(aside, folder)
    expect(await again.next('discovered')).toMatchObject({ programId: 'a' })
    expect(versions.stored.get('a')?.isRetired).toBe(false)
  })

  it('a link in place of the project folder is reported once, and the folder is read again when it is back', async () => {
    const { project, next } = await started({ 'programs/a.ts': tinyProgram('a') })
    const moved = `${project.folder}-moved`
    renameSync(project.folder, moved)
    symlinkSync(moved, project.folder)
    const message = `${project.folder} is no longer read, because it leads to ${moved} now: start the runtime again to use that folder`
    expect(await next('warning')).toEqual({ kind: 'warning', message })
    writeFileSync(join(moved, 'programs/a.ts'), tinyProgram('a', 'return 2'))
    unlinkSync(project.folder)
    renameSync(moved, project.folder)
    expect(await next('changed')).toMatchObject({ programId: 'a', versionNumber: 2 })
  })

  it('a link to itself changes nothing', async () => {
    const { project, next, source } = await started({ 'programs/a.ts': tinyProgram('a') })
    symlinkSync('loop.lock', join(project.folder, 'programs/loop.lock'))
    symlinkSync('loop.ts', join(project.folder, 'programs/loop.ts'))
    symlinkSync('tsconfig.json', join(project.folder, 'tsconfig.json'))
    project.save('programs/a.ts', tinyProgram('a', 'return 2'))
    expect(await next('changed')).toMatchObject({ programId: 'a' })
    expect(source.status().errors).toEqual([])
  })

  it('a Program compiles once a missing module is created', async () => {
    const { project, next } = await started({
      'programs/a.ts': `import { defineProgram } from 'workflow-execution-service'\nimport { rate } from '../shared/rate.ts'\nexport default defineProgram({ id: 'a' }, async () => rate)\n`,
    })
    expect((await next('failed')).errors[0]!.message).toMatch(/^programs\/a\.ts:2:22 Could not resolve/)
    project.write('shared/rate.ts', 'export const rate = 1')
    expect(await next('discovered')).toMatchObject({ programId: 'a' })
  })
})

it('tells when the errors of a file without Programs have ended, unless it was deleted', async () => {
  const { project, next, events } = await started({ 'programs/a.ts': tinyProgram('a') })
  project.write('programs/parts.ts', 'export const parts = [')
  expect(await next('failed')).toMatchObject({ path: 'programs/parts.ts' })
  project.write('programs/parts.ts', 'export const parts = []')
  expect(await next('fixed')).toMatchObject({ path: 'programs/parts.ts' })
  project.write('programs/parts.ts', 'export const parts = [')
  expect(await next('failed')).toMatchObject({ path: 'programs/parts.ts' })
  project.remove('programs/parts.ts')
  project.write('programs/b.ts', tinyProgram('b'))
  expect(await next('discovered')).toMatchObject({ programId: 'b' })
  expect(events.filter(({ kind }) => kind === 'fixed')).toHaveLength(1)
  project.write('wes.config.ts', 'export default {')
  expect(await next('failed')).toMatchObject({ path: 'wes.config.ts' })
  project.write('wes.config.ts', 'export default {}')
  expect(await next('fixed')).toMatchObject({ path: 'wes.config.ts' })
})

describe('two files with one id', () => {
  it('both get an error, until one of them is deleted', async () => {
    const { project, next, source, versions } = await started({ 'programs/a.ts': tinyProgram('a') })
    project.write('programs/b.ts', tinyProgram('a', 'return 2'))
    const [one, two] = [await next('failed'), await next('failed')].toSorted((x, y) => (x.path < y.path ? -1 : 1))
    expect(one!.errors[0]!.message).toContain('programs/a.ts:2:30 Program id "a" is also used by programs/b.ts:2:30')
    expect(two!.errors[0]!.message).toContain('programs/b.ts:2:30 Program id "a" is also used by programs/a.ts:2:30')
    expect(versions.stored.get('a')).toMatchObject({ isRetired: false, artifacts: { length: 1 } })
    project.remove('programs/b.ts')
    await next('unchanged')
    expect(source.status().errors).toEqual([])
  })

  it('are one Program if one of them only re-exports it', async () => {
    const { source } = await started({
      'programs/a.ts': tinyProgram('a'),
      'programs/index.ts': `export { default } from './a.ts'\nexport { default as again } from './a.ts'`,
    })
    expect(source.status()).toMatchObject({ programs: [{ id: 'a', path: 'programs/a.ts' }], errors: [] })
  })
})

describe('a module whose definitions take long to evaluate', () => {
  const after = (ms: number, id: string, body?: string) =>
    tinyProgram(id, body).replace(`'${id}'`, `(${sleep(ms)}, '${id}')`)

  it('does not delay others, and its mending is used at once', async () => {
    const { project, source, next } = await started({
      'programs/a.ts': tinyProgram('a'),
      'programs/b.ts': tinyProgram('b'),
      'programs/c.ts': tinyProgram('c'),
    })
    othersWait(300)
    project.write('programs/a.ts', after(60_000, 'a', 'return 2'))
    project.save('programs/b.ts', tinyProgram('b', 'return 2'))
    const message = expect.stringContaining('takes longer than 3 s: until it has ended, its Programs stay') as string
    await vi.waitFor(() => expect(source.status().errors).toMatchObject([{ path: 'programs/a.ts', message }]))
    expect(await next('changed')).toMatchObject({ programId: 'b', versionNumber: 2 })
    // The next scan waits for nothing that an earlier one has waited for.
    othersWait(NEVER_MS)
    project.save('programs/c.ts', tinyProgram('c', 'return 2'))
    expect(await next('changed')).toMatchObject({ programId: 'c' })
    project.save('programs/a.ts', tinyProgram('a', 'return 3'))
    expect(await next('changed')).toMatchObject({ programId: 'a', versionNumber: 2 })
    await vi.waitFor(() => expect(source.status().errors).toEqual([]))
  })

  it('is deployed once they have been, or reported when they are given up', async () => {
    const { project, source, next } = await started({ 'programs/a.ts': tinyProgram('a') })
    othersWait(0)
    project.write('programs/a.ts', after(500, 'a', 'return 2'))
    expect(await next('failed')).toMatchObject({ errors: [{ message: expect.stringContaining('longer than 3 s') }] })
    expect(await next('changed')).toMatchObject({ programId: 'a', versionNumber: 2 })
    expect(source.status().errors).toEqual([])
    giveUp()
    project.write('programs/a.ts', after(60_000, 'a', 'return 3'))
    const message = expect.stringContaining('failed: it took longer than 15 s') as string
    await vi.waitFor(() => expect(source.status().errors).toMatchObject([{ message }]))
    expect(source.status().programs).toMatchObject([{ id: 'a' }])
  })
})

describe('wes.config', () => {
  it('sets the Programs and their project, as code or as JSON', async () => {
    const { project, source, events, next, versions } = await started({
      'wes.config.ts': `const folder = 'flows'\nexport default { programs: [\`\${folder}/**/*.ts\`, '!flows/old/**'], project: 'shop' } as const`,
      'flows/a.ts': tinyProgram('a'),
      'flows/old/b.ts': tinyProgram('b'),
      'programs/c.ts': tinyProgram('c'),
    })
    expect(source.status().programs.map(({ id }) => id)).toEqual(['a'])
    const expectedIn = ['flows/**/*.ts', '!flows/old/**']
    expect(events).toContainEqual(expect.objectContaining({ kind: 'ready', expectedIn }))
    expect([...versions.stored.keys()]).toEqual(['shop/a'])
    expect(source.status().project).toBe('shop')
    project.remove('wes.config.ts')
    project.write('wes.config.json', '{ "programs": "programs/*.ts" }')
    expect(await next('discovered')).toMatchObject({ programId: 'a' })
    expect(await next('discovered')).toMatchObject({ programId: 'c' })
    expect(source.status().project).toBe('default')
  })

  it('that is invalid is reported, and the last valid one stays in use', async () => {
    const { project, source, next } = await started({ 'programs/a.ts': tinyProgram('a') })
    project.write('wes.config.json', '{\n  "programs": ["flows/*.ts",]\n}')
    expect((await next('failed')).errors[0]!.message).toBe('wes.config.json:2:29 invalid JSON: expected a value')
    project.write('wes.config.json', '{ "program": ["flows/*.ts"], "project": 5 }')
    expect((await next('failed')).errors[0]!.message).toContain(
      'config must not have "program"; config/project must be string: a config has "programs" (globs) and "project" (a name)',
    )
    project.write('wes.config.json', '{ "programs": 5 }')
    expect((await next('failed')).errors[0]!.message).toContain('config/programs must be string or array: a config')
    expect(source.status().programs.map(({ id }) => id)).toEqual(['a'])
  })

  it.each([
    ['promise', 'Promise.resolve({ programs: "flows/*.ts" })'],
    ['function', 'async () => ({ programs: "flows/*.ts" })'],
  ])('that exports a %s is invalid', async (kind, value) => {
    const { project, source, next } = await started({ 'programs/a.ts': tinyProgram('a') })
    project.write('wes.config.ts', `export default ${value}`)
    expect((await next('failed')).errors[0]!.message).toContain(`its default export is a ${kind}`)
    expect(source.status().programs.map(({ id }) => id)).toEqual(['a'])
  })

  it('that has no default export is invalid', async () => {
    const { project, next } = await started({ 'programs/a.ts': tinyProgram('a') })
    project.write('wes.config.ts', `export const config = { programs: 'flows/*.ts' }`)
    const { message } = (await next('failed')).errors[0]!
    expect(message).toBe('wes.config.ts:1:1 has no default export, which would be the config')
  })

  it('that is invalid at the start leaves all Programs as they are until it is valid', async () => {
    const versions = createVersions()
    const project = createProject({
      'wes.config.json': '{ "programs": "flows/*.ts", "project": "shop" }',
      'flows/a.ts': tinyProgram('a'),
      'programs/b.ts': tinyProgram('b'),
    })
    const first = await start(project, { versions })
    await first.source.stop()
    project.write('wes.config.json', '{ "programs": "flows/*.ts", "project": "shop", }')
    const { events, next, source } = await start(project, { versions })
    expect(events.map(({ kind }) => kind)).toEqual(['failed', 'ready'])
    expect(source.status().errors).toMatchObject([{ path: 'wes.config.json' }])
    expect([...versions.stored]).toMatchObject([['shop/a', { isRetired: false }]])
    project.write('wes.config.json', '{ "programs": "flows/*.ts", "project": "shop" }')
    expect(await next('discovered')).toMatchObject({ programId: 'a', isNew: false })
    await vi.waitFor(() => expect(source.status().errors).toEqual([]))
  })

  it('that names another project moves the Programs to it, also while it was stopped', async () => {
    const versions = createVersions()
    const retired = () => [...versions.stored].flatMap(([key, { isRetired }]) => (isRetired ? [key] : [])).toSorted()
    const project = createProject({
      'programs/a.ts': tinyProgram('a'),
      'programs/b.ts': tinyProgram('b'),
    })
    const first = await start(project, { versions })
    project.write('programs/b.ts', tinyProgram('b', 'return ('))
    await first.next('failed')
    project.write('wes.config.json', '{ "project": "shop" }')
    // The last good version of one that does not compile moves as well.
    expect((await first.next('warning')).message).toBe(
      '2 Programs belong to project "shop" now, and cannot be started from this folder in another one any more',
    )
    expect(retired()).toEqual(['a', 'b'])
    await first.source.stop()

    project.write('programs/b.ts', tinyProgram('b'))
    project.write('wes.config.json', '{ "project": "store" }')
    versions.breakDown(1)
    const { next } = await start(project, { versions })
    await next('warning')
    await vi.waitFor(() => expect(retired()).toEqual(['a', 'b', 'shop/a', 'shop/b']))
    expect([...versions.stored.keys()].slice(4).toSorted()).toEqual(['store/a', 'store/b'])

    project.write('wes.config.json', '{}')
    await vi.waitFor(() => expect(retired()).toEqual(['shop/a', 'shop/b', 'store/a', 'store/b']))
  })

  it('that goes with its whole folder moves no Program to the default project', async () => {
    const { project, events, next, versions } = await started({
      'wes.config.json': '{ "project": "shop" }',
      'programs/a.ts': tinyProgram('a'),
      'programs/b.ts': tinyProgram('b'),
    })
    const elsewhere = `${project.folder}-moved`
    renameSync(project.folder, elsewhere)
    await next('deleted')
    await next('deleted')
    expect([...versions.stored.keys()]).toEqual(['shop/a', 'shop/b'])
    renameSync(elsewhere, project.folder)
    await vi.waitFor(() =>
      expect([...versions.stored.values()]).toMatchObject([{ isRetired: false }, { isRetired: false }]),
    )
    expect([...versions.stored.keys()]).toEqual(['shop/a', 'shop/b'])
    expect(events.filter(({ kind }) => kind === 'warning')).toEqual([])
  })

  it('may name a project that is created later', async () => {
    const { source, versions, next } = await started({
      'wes.config.json': '{ "project": "missing" }',
      'programs/a.ts': tinyProgram('a'),
      'programs/b.ts': tinyProgram('b'),
    })
    const { path, errors } = await next('failed')
    const text = 'names the project "missing", which does not exist: create it, or change the name'
    expect({ path, messages: errors.map(({ message }) => message) }).toEqual({
      path: 'wes.config.json',
      messages: [`wes.config.json:1:1 ${text}`],
    })
    // Until files that were just written no longer cause scans.
    await new Promise((resolve) => setTimeout(resolve, 500))
    versions.createMissing()
    await vi.waitFor(() => expect(source.status()).toMatchObject({ errors: [], programs: [{ id: 'a' }, { id: 'b' }] }))
  })

  it('that names a project is looked at every second until somebody has created it', async () => {
    const project = createProject({ 'wes.config.json': '{ "project": "missing" }', 'programs/a.ts': tinyProgram('a') })
    const compiler = createCompiler({ folder: project.folder, evaluator: sharedEvaluator })
    onTestFinished(project.dispose)
    onTestFinished(compiler.stop)
    const view = await createLookAtProject(compiler, () => {})()
    const deployments = createSourceDeployments({
      folder: project.folder,
      versions: createVersions(),
      log: pino({ level: 'silent' }),
      textOf: compiler.files.text,
      emit: () => {},
    })
    for (let look = 1; look <= 3; look++) expect(await deployments.apply(view, () => 0)).toBe(1_000)
  })

  it('that does not end delays no other file: the last valid one counts until it is mended', async () => {
    const config = (project: string) => `export default { programs: 'programs/*.ts', project: '${project}' }`
    const { project, source, next } = await started({
      'wes.config.ts': config('shop'),
      'programs/a.ts': tinyProgram('a'),
    })
    othersWait(0)
    project.write('wes.config.ts', `${sleep(60_000)}\n${config('shop')}`)
    const text = 'takes longer than 3 s to evaluate: until it has been, the config from before its change counts'
    await vi.waitFor(() => expect(source.status().errors).toMatchObject([{ message: expect.stringContaining(text) }]))
    project.save('programs/a.ts', tinyProgram('a', 'return 2'))
    expect(await next('changed')).toMatchObject({ programId: 'a', versionNumber: 2 })
    project.write('wes.config.ts', config('store'))
    await vi.waitFor(() => expect(source.status()).toMatchObject({ project: 'store', errors: [] }))
  })

  it('that does not end when the runtime starts can be mended meanwhile', async () => {
    const project = createProject({ 'wes.config.ts': sleep(60_000), 'programs/a.ts': tinyProgram('a') })
    const mend = setTimeout(() => project.write('wes.config.ts', `export default { project: 'shop' }`), 1_000)
    onTestFinished(() => clearTimeout(mend))
    const { source } = await start(project)
    expect(source.status()).toMatchObject({ project: 'shop', programs: [{ id: 'a' }], errors: [] })
  })

  it('that took long is used once it has been evaluated, or reported when it is given up', async () => {
    const { project, source } = await started({
      'wes.config.ts': 'export default {}',
      'programs/a.ts': tinyProgram('a'),
    })
    othersWait(0)
    const after = (ms: number, name: string) => `${sleep(ms)}\nexport default { project: '${name}' }`
    project.write('wes.config.ts', after(500, 'shop'))
    await vi.waitFor(() => expect(source.status()).toMatchObject({ errors: [{}], project: 'default' }))
    await vi.waitFor(() => expect(source.status()).toMatchObject({ errors: [], project: 'shop' }))
    giveUp()
    project.write('wes.config.ts', after(60_000, 'store'))
    const message = expect.stringContaining('cannot be evaluated: it took longer than 15 s') as string
    await vi.waitFor(() => expect(source.status()).toMatchObject({ errors: [{ message }], project: 'shop' }))
  })

  it('with several errors is reported once', async () => {
    const { project, events, next } = await started({ 'programs/a.ts': tinyProgram('a') })
    project.write(
      'wes.config.ts',
      `import a from './a.ts'\nimport b from './b.ts'\nexport default { programs: [a, b] }`,
    )
    await next('failed')
    project.save('programs/a.ts', tinyProgram('a', 'return 2'))
    await next('changed')
    const failed = events.filter((event) => event.kind === 'failed')
    expect(failed).toMatchObject([{ path: 'wes.config.ts', errors: { length: 2 } }])
  })
})
