import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import type { RuntimeState } from '../preload/desktop-api.ts'
import { openSettings } from '../settings/settings-store.ts'
import { createFolderTrust } from './folder-trust.ts'
import { createProjectActions } from './project-folders.ts'
import { copySample } from './sample-project.ts'

const folder = (): string => temporaryFolder('projects')

const ADOPTED: RuntimeState = {
  kind: 'ready',
  url: 'http://localhost:3477',
  port: 3477,
  pid: 7,
  owned: false,
  projectFolder: '/x',
}

const rig = (state: RuntimeState = { kind: 'stopped' }) => {
  const home = folder()
  const settings = openSettings(join(home, 'settings.json'), pino({ level: 'silent' }))
  const restart = vi.fn(async () => undefined)
  const pickFolder = vi.fn(async (): Promise<string | undefined> => undefined)
  const ask = vi.fn(async () => true)
  const sample = { isNew: true }
  const runtimeSwitch = { state: () => state, restart }
  const trust = createFolderTrust({ dataDir: join(home, 'data'), settings, runtimeSwitch, ask })
  const projects = createProjectActions({
    settings,
    trust,
    runtimeSwitch,
    pickFolder,
    placeSample: async () => ({ folder: join(home, 'sample'), isNew: sample.isNew }),
  })
  return { home, settings, restart, pickFolder, projects, ask, trust, sample }
}

describe('the project folder', () => {
  it('is chosen with a dialog, remembered, and run', async () => {
    const { home, projects, pickFolder, restart } = rig()
    pickFolder.mockResolvedValue(home)
    expect(await projects.choose()).toBe(home)
    expect(projects.get()).toEqual({ current: home, recent: [home] })
    expect(restart).toHaveBeenCalledTimes(1)
  })

  it('stays the same if the user cancels', async () => {
    const { projects, restart } = rig()
    expect(await projects.choose()).toBeNull()
    expect(projects.get().current).toBeNull()
    expect(restart).not.toHaveBeenCalled()
  })

  it('is one of the recent ones, or none', async () => {
    const { home, settings, projects, restart } = rig()
    await expect(projects.open(home)).rejects.toMatchObject({ code: 'unknown_folder' })
    settings.change({ projectFolders: { current: null, recent: [home, join(home, 'gone')] } })
    await projects.open(home)
    expect(projects.get().current).toBe(home)
    await expect(projects.open(join(home, 'gone'))).rejects.toMatchObject({ code: 'folder_missing' })
    expect(projects.get()).toEqual({ current: home, recent: [home] })
    expect(restart).toHaveBeenCalledTimes(1)
  })

  // Nothing is refused to root, but nobody may open a path of this length.
  it.skipIf(process.platform === 'win32')(
    'stays a recent one if the system does not tell whether it is there',
    async () => {
      const { home, settings, projects } = rig()
      const untold = join(home, 'x'.repeat(300))
      settings.change({ projectFolders: { current: untold, recent: [untold] } })
      const message = expect.stringContaining(`${untold} could not be opened: ENAMETOOLONG`)
      await expect(projects.open(untold)).rejects.toMatchObject({ code: 'folder_unread', message })
      expect([projects.get().recent, projects.missing()]).toEqual([[untold], null])
    },
  )

  it('stays the one that was opened while another was looked for in vain', async () => {
    const { home, settings, projects } = rig()
    const gone = join(home, 'gone')
    settings.change({ projectFolders: { current: null, recent: [gone] } })
    const missing = projects.open(gone)
    settings.change({ projectFolders: { current: home, recent: [home, gone] } })
    await expect(missing).rejects.toMatchObject({ code: 'folder_missing' })
    expect(projects.get()).toEqual({ current: home, recent: [home] })
  })

  it('does not change for another process’s runtime', async () => {
    const { projects, pickFolder, settings, home } = rig(ADOPTED)
    settings.change({ projectFolders: { current: null, recent: [home] } })
    await expect(projects.choose()).rejects.toMatchObject({ code: 'not_owned' })
    await expect(projects.open(home)).rejects.toMatchObject({ code: 'not_owned' })
    await expect(projects.openSample()).rejects.toMatchObject({ code: 'not_owned' })
    expect(pickFolder).not.toHaveBeenCalled()
    expect(settings.get().projectFolders.current).toBeNull()
  })
})

const OWN: RuntimeState = { ...ADOPTED, owned: true }

describe('a folder’s trust', () => {
  it('is requested once, before the folder is opened', async () => {
    const { home, projects, pickFolder, ask, trust, restart } = rig()
    pickFolder.mockResolvedValue(home)
    await projects.choose()
    await projects.choose()
    await projects.open(home)
    expect(ask.mock.calls).toEqual([[home]])
    expect(trust.list()).toEqual([home])
    expect(restart).toHaveBeenCalledTimes(3)
  })

  it('is requested again if the user refused, without other changes', async () => {
    const { home, projects, pickFolder, ask, trust, restart } = rig()
    pickFolder.mockResolvedValue(home)
    ask.mockResolvedValue(false)
    expect(await projects.choose()).toBeNull()
    expect(await projects.choose()).toBeNull()
    expect(ask).toHaveBeenCalledTimes(2)
    expect([trust.list(), projects.get().current]).toEqual([[], null])
    expect(restart).not.toHaveBeenCalled()
  })

  it('is not requested for the sample project', async () => {
    const { home, projects, ask, trust } = rig()
    await projects.openSample()
    expect(ask).not.toHaveBeenCalled()
    expect(trust.list()).toEqual([join(home, 'sample')])
  })

  it('is requested for a sample project that was there before, unless it is trusted', async () => {
    const { home, projects, ask, trust, restart, sample } = rig()
    sample.isNew = false
    ask.mockResolvedValue(false)
    expect(await projects.openSample()).toBeNull()
    expect([trust.list(), restart.mock.calls]).toEqual([[], []])
    trust.trust(join(home, 'sample'))
    expect(await projects.openSample()).toBe(join(home, 'sample'))
    expect(ask).toHaveBeenCalledTimes(1)
  })

  it('is requested at the start if the open folder is not trusted, and a refusal closes the folder', async () => {
    const { home, settings, ask, trust } = rig()
    settings.change({ projectFolders: { current: home, recent: [home] } })
    ask.mockResolvedValue(false)
    await trust.ensureCurrent()
    expect(settings.get().projectFolders).toEqual({ current: null, recent: [home] })
    await trust.ensureCurrent()
    expect(ask).toHaveBeenCalledTimes(1)
  })

  it('is not requested for a folder that does not exist, which stays open', async () => {
    const { home, settings, projects, ask, trust } = rig()
    const gone = join(home, 'gone')
    settings.change({ projectFolders: { current: gone, recent: [gone] } })
    await trust.ensureCurrent()
    expect(ask).not.toHaveBeenCalled()
    expect(settings.get().projectFolders.current).toBe(gone)
    expect(projects.missing()).toBe(gone)
    mkdirSync(gone)
    expect(projects.missing()).toBeNull()
  })

  it.skipIf(process.platform === 'win32')(
    'is requested for the folder to which a link leads, and given to it alone',
    async () => {
      const { home, ask, trust } = rig()
      const [asked, other, link] = ['asked', 'other', 'link'].map((name) => join(home, name)) as [
        string,
        string,
        string,
      ]
      for (const path of [asked, other]) mkdirSync(path)
      symlinkSync(asked, link)
      ask.mockImplementation(async () => {
        rmSync(link)
        symlinkSync(other, link)
        return true
      })
      expect(await trust.ensure(link)).toBe(true)
      expect(ask.mock.calls).toEqual([[asked]])
      expect(trust.list()).toEqual([asked])
    },
  )

  it('is requested in one dialog, whoever waits for the answer', async () => {
    const { home, settings, ask, trust } = rig()
    settings.change({ projectFolders: { current: home, recent: [home] } })
    const answer = Promise.withResolvers<boolean>()
    ask.mockReturnValueOnce(answer.promise)
    const waiting = Promise.all([trust.ensureCurrent(), trust.ensureCurrent(), trust.ensure(home)])
    answer.resolve(false)
    expect((await waiting)[2]).toBe(false)
    expect(ask).toHaveBeenCalledTimes(1)
    expect(await trust.ensure(home)).toBe(true)
    expect(ask).toHaveBeenCalledTimes(2)
  })

  it('closes no folder that was opened instead while it was requested', async () => {
    const { home, settings, ask, trust } = rig()
    const other = join(home, 'other')
    settings.change({ projectFolders: { current: home, recent: [home] } })
    ask.mockImplementation(async () => {
      settings.change({ projectFolders: { current: other, recent: [other, home] } })
      return false
    })
    await trust.ensureCurrent()
    expect(settings.get().projectFolders.current).toBe(other)
  })

  it('that cannot be stored is refused with the folder of the list', async () => {
    const { home, trust } = rig()
    writeFileSync(join(home, 'data'), 'a file')
    const message = expect.stringMatching(`^The trusted folders cannot be stored in ${home}/data: `)
    await expect(trust.ensure(home)).rejects.toMatchObject({ code: 'not_stored', message })
  })

  it('can be removed: the open folder is closed, and the runtime restarts without it', async () => {
    const { home, projects, pickFolder, trust, restart } = rig(OWN)
    pickFolder.mockResolvedValue(home)
    await projects.choose()
    expect(await trust.remove(home)).toEqual([])
    expect(projects.get()).toEqual({ current: null, recent: [home] })
    expect(restart).toHaveBeenCalledTimes(2)
  })

  it('can be removed while the runtime starts with the open folder', async () => {
    const { home, projects, pickFolder, trust, restart } = rig({ kind: 'starting', since: '2026-11-20T00:00:00.000Z' })
    pickFolder.mockResolvedValue(home)
    await projects.choose()
    await trust.remove(home)
    expect(restart).toHaveBeenCalledTimes(2)
  })
})

describe('the sample project', () => {
  it('is copied once, and keeps the user’s changes', async () => {
    const home = folder()
    // A new account may have no folder for documents yet.
    const [source, target] = [join(home, 'source'), join(home, 'Documents/copy')]
    mkdirSync(join(source, 'programs'), { recursive: true })
    writeFileSync(join(source, 'programs/a.ts'), '1')
    expect(await copySample(source, target)).toEqual({ folder: target, isNew: true })
    writeFileSync(join(target, 'programs/a.ts'), '2')
    expect(await copySample(source, target)).toEqual({ folder: target, isNew: false })
    expect(readFileSync(join(target, 'programs/a.ts'), 'utf8')).toBe('2')
  })

  it('is copied once, even if it is asked for twice at a time', async () => {
    const home = folder()
    const [source, target] = [join(home, 'source'), join(home, 'copy')]
    mkdirSync(source)
    writeFileSync(join(source, 'a.ts'), '1')
    const placed = await Promise.all([copySample(source, target), copySample(source, target)])
    expect(placed.map(({ isNew }) => isNew).toSorted()).toEqual([false, true])
    expect(readdirSync(home).toSorted()).toEqual(['copy', 'source'])
  })

  it('leaves no files if it cannot be copied, and says where to', async () => {
    const home = folder()
    const target = join(home, 'copy')
    const said = `The sample project cannot be stored in ${target}: ENOENT`
    await expect(copySample(join(home, 'none'), target)).rejects.toThrow(said)
    expect(readdirSync(home)).toEqual([])
    // A system may keep programs from the user's documents.
    writeFileSync(join(home, 'documents'), '')
    const refused = copySample(join(home, 'none'), join(home, 'documents/copy'))
    await expect(refused).rejects.toMatchObject({
      code: 'not_stored',
      message: expect.stringContaining('The sample project'),
    })
  })
})
