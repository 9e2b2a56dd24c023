import type * as FsPromises from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { compileProject } from './build-project.ts'
import { createSource } from './create-source.ts'
import { discover } from './discover.ts'
import { createProject, tinyProgram } from './project.test-support.ts'
import type { SourceEvent, SourceVersions } from './source.ts'
import { whenProjectAppears } from './when-project-appears.ts'

/** The system lets root read everything, and some run tests as root. */
const system = vi.hoisted(() => ({ refuses: new Set<unknown>() }))
vi.mock('node:fs/promises', async (importOriginal) => {
  const fs = await importOriginal<typeof FsPromises>()
  const readdir = (path: string, options: { withFileTypes: true }) =>
    system.refuses.has(path)
      ? Promise.reject(Object.assign(new Error('permission denied'), { code: 'EACCES', path }))
      : fs.readdir(path, options)
  return { ...fs, readdir }
})

const project = (sources: Readonly<Record<string, string>>) => {
  const made = createProject(sources)
  onTestFinished(() => {
    system.refuses.clear()
    made.dispose()
  })
  return made
}

it('a folder that may not be read counts as a project, so that somebody says so', async () => {
  const { folder } = project({})
  system.refuses.add(folder)
  const appeared = new Promise((resolve) => {
    whenProjectAppears(folder, { wasProject: false, mayWatch: false }, resolve)
  })
  expect(await appeared).toBe(false)
})

it('a folder of Programs that may not be read is an error, and its Programs stay', async () => {
  const { folder } = project({ 'programs/a.ts': tinyProgram('a') })
  const retired: string[] = []
  const versions: SourceVersions = {
    deploy: () => Promise.resolve({ kind: 'created', versionNumber: 1, projectId: 'default' }),
    retire: async (_projectId, programId) => void retired.push(programId),
    deployedFrom: () => Promise.resolve([]),
  }
  const source = createSource({ folder, versions, log: pino({ level: 'silent' }), watch: true })
  onTestFinished(source.stop)
  const next = (kind: SourceEvent['kind']) =>
    new Promise((resolve) => {
      const stop = source.onEvent((event) => {
        if (event.kind !== kind) return
        stop()
        resolve(event)
      })
    })
  const discovered = next('discovered')
  await source.start()
  await discovered // on a slow machine later than the start
  const failed = next('failed')
  system.refuses.add(join(folder, 'programs'))
  // Only the system would tell of a change of rights.
  await source.start()
  expect(await failed).toMatchObject({ path: 'programs' })
  const errors = [{ path: 'programs', message: 'programs:1:1 cannot be read: check its permissions' }]
  expect(await compileProject({ folder })).toMatchObject({ programs: [], errors })
  expect(source.status()).toMatchObject({ programs: [{ id: 'a' }], errors })
  const again = next('folder')
  system.refuses.clear()
  expect(await again).toMatchObject({ isMissing: false })
  expect([source.status().errors, retired]).toEqual([[], []])
})

it('a folder among others that may not be read is skipped', async () => {
  const { folder } = project({ 'a.ts': '', 'data/b.ts': '' })
  system.refuses.add(join(folder, 'data'))
  expect((await discover(folder, ['**/*.ts'])).files).toEqual(['a.ts'])
})
