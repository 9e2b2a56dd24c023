import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { makePipe } from '../shared/make-pipe.test-support.ts'
import { MARK } from '../shared/started-processes.ts'
import { temporaryFolder } from '../shared/temporary-folder.test-support.ts'
import { openDatabase } from '../store/database.ts'
import {
  openDataDirectory,
  readRuntimeInfo,
  removeRuntimeInfo,
  writeRuntimeInfo,
  type RuntimeInfo,
} from './data-directory.ts'
import { defaultDataDirectory } from './default-data-directory.ts'
import { DataDirectoryInUseError } from '../shared/runtime.ts'

const temporaryDirectory = (): string => temporaryFolder('data')

const open = (directory: string) => {
  const opened = openDataDirectory(directory)
  onTestFinished(opened.release)
  return opened
}

/** A process that runs for as long as the test. */
const startMarked = (mark: string): ChildProcess => {
  const child = spawn('sleep', ['300'], { stdio: 'ignore', env: { ...process.env, [MARK]: mark } })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

const modeOf = (path: string): number => statSync(path).mode & 0o777

const INFO: RuntimeInfo = {
  pid: 4711,
  port: 3477,
  instanceId: 'instance',
  version: '0.1.0',
  secret: 'secret',
  dataDir: '/data',
  projectFolder: '/project',
  startedAt: '2026-11-20T00:00:00.000Z',
}

describe('the default data directory', () => {
  it.each([
    ['linux', {}, '/home/ada/.local/share/wes'],
    ['linux', { XDG_DATA_HOME: '/xdg' }, '/xdg/wes'],
    ['linux', { XDG_DATA_HOME: '' }, '/home/ada/.local/share/wes'],
    ['linux', { XDG_DATA_HOME: 'relative' }, '/home/ada/.local/share/wes'],
    ['linux', { WES_DATA_DIR: '/mine', XDG_DATA_HOME: '/xdg' }, '/mine'],
    ['linux', { WES_DATA_DIR: '' }, '/home/ada/.local/share/wes'],
    ['darwin', { XDG_DATA_HOME: '/xdg' }, '/home/ada/Library/Application Support/wes'],
    ['darwin', { WES_DATA_DIR: '/mine' }, '/mine'],
    ['freebsd', {}, '/home/ada/.local/share/wes'],
  ] as const)('on %s with %j is %s', (platform, env, expected) => {
    expect(defaultDataDirectory(env, platform, '/home/ada')).toBe(expected)
  })

  it.each(['', 'relative'])('is in the home folder that the system knows when HOME is "%s"', (home) => {
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('HOME', home)
    expect(defaultDataDirectory({}, 'linux')).toBe(join(userInfo().homedir, '.local', 'share', 'wes'))
  })

  it.each([
    [{ LOCALAPPDATA: 'C:\\Users\\ada\\AppData\\Local' }, 'C:\\Users\\ada\\AppData\\Local\\wes'],
    [{}, 'C:\\Users\\ada\\AppData\\Local\\wes'],
    [{ WES_DATA_DIR: 'D:\\wes' }, 'D:\\wes'],
  ])('on Windows with %j is %s', (env, expected) => {
    expect(defaultDataDirectory(env, 'win32', 'C:\\Users\\ada')).toBe(expected)
  })
})

describe('opening a data directory', () => {
  it('creates it and its parents, with access for its owner only', () => {
    const directory = join(temporaryDirectory(), 'share', 'wes')
    const opened = open(directory)
    expect(opened).toMatchObject({ path: directory, databaseFile: join(directory, 'wes.sqlite') })
    expect(modeOf(directory)).toBe(0o700)
    for (const file of ['wes.sqlite', 'lock.sqlite']) expect(modeOf(join(directory, file))).toBe(0o600)
  })

  it('removes the access of other users', () => {
    const directory = join(temporaryDirectory(), 'wes')
    mkdirSync(directory)
    chmodSync(directory, 0o755)
    open(directory)
    expect(modeOf(directory)).toBe(0o700)
  })

  it('refuses a directory that is shared with other users, and does not change it', () => {
    const directory = join(temporaryDirectory(), 'shared')
    mkdirSync(directory)
    chmodSync(directory, 0o1777)
    expect(() => openDataDirectory(directory)).toThrow(/shared with other users.*Choose another one/)
    expect(statSync(directory).mode & 0o7777).toBe(0o1777)
  })

  const NAMES = [
    'wes.sqlite',
    'wes.sqlite-wal',
    'wes.sqlite-shm',
    'lock.sqlite',
    'runtime.json',
    'killed-runtime.json',
    'trusted-folders.json',
    'effects-under-way',
  ]

  it.each(NAMES)('refuses a named pipe instead of %s', (name) => {
    const directory = temporaryDirectory()
    makePipe(join(directory, name))
    expect(() => openDataDirectory(directory)).toThrow('is a named pipe, not a regular file')
    expect(readRuntimeInfo(directory)).toBeUndefined()
  })

  it('does not wait for the writer of a named pipe', () => {
    const directory = temporaryDirectory()
    const name = 'wes.sqlite'
    makePipe(join(directory, name))
    // In a separate process, which can be killed while it waits.
    const url = new URL('./data-directory.ts', import.meta.url).href
    const script = `import(${JSON.stringify(url)}).then((own) => own.openDataDirectory(${JSON.stringify(directory)})).catch((error) => console.log(error.message))`
    const { stdout } = spawnSync(process.execPath, ['-e', script], { timeout: 60_000, encoding: 'utf8' })
    expect(stdout).toContain(`${join(directory, name)} is a named pipe, not a regular file. Remove it, or choose`)
  })

  it.each(NAMES)('refuses a symbolic link instead of %s, and does not change its target', (name) => {
    const directory = temporaryDirectory()
    const target = join(temporaryDirectory(), 'precious')
    writeFileSync(target, 'precious', { mode: 0o644 })
    symlinkSync(target, join(directory, name))
    expect(() => openDataDirectory(directory)).toThrow('is a symbolic link, not a regular file')
    expect(modeOf(target)).toBe(0o644)
    expect(statSync(target).size).toBe(8)
  })

  it('refuses a link without a target, and does not create the target', () => {
    const directory = temporaryDirectory()
    const target = join(directory, 'elsewhere')
    symlinkSync(target, join(directory, 'wes.sqlite'))
    expect(() => openDataDirectory(directory)).toThrow('is a symbolic link')
    expect(existsSync(target)).toBe(false)
  })

  it.runIf(process.getuid?.() === 0)('refuses a directory or a file of another user, and does not change it', () => {
    const directory = join(temporaryDirectory(), 'wes')
    mkdirSync(directory, { mode: 0o755 })
    chownSync(directory, 1234, 1234)
    expect(() => openDataDirectory(directory)).toThrow(/belongs to another user. Choose another one/)
    expect(modeOf(directory)).toBe(0o755)
    chownSync(directory, 0, 0)
    writeFileSync(join(directory, 'wes.sqlite'), '', { mode: 0o644 })
    chownSync(join(directory, 'wes.sqlite'), 1234, 1234)
    expect(() => openDataDirectory(directory)).toThrow('wes.sqlite belongs to another user. Change its owner')
    expect(modeOf(join(directory, 'wes.sqlite'))).toBe(0o644)
  })

  it('refuses a path that is too long for SQLite, and says so', () => {
    const directory = join(temporaryDirectory(), ...Array.from({ length: 5 }, () => 'ü'.repeat(60)))
    expect(() => openDataDirectory(directory)).toThrow('its path has more than 480 bytes. Choose another one')
    expect(existsSync(directory)).toBe(false)
  })

  it.skipIf(process.platform === 'win32')('takes a path of almost that length', () => {
    const parent = temporaryDirectory()
    const rest = 478 - Buffer.byteLength(parent)
    const directory = join(parent, 'a'.repeat(200), 'b'.repeat(100), 'c'.repeat(rest - 303))
    const { databaseFile, release } = openDataDirectory(directory)
    openDatabase({ file: databaseFile, now: Date.now }).close()
    expect(existsSync(databaseFile)).toBe(true)
    release()
  })

  it('refuses a file instead of the directory', () => {
    const file = join(temporaryDirectory(), 'wes')
    writeFileSync(file, '')
    expect(() => openDataDirectory(file)).toThrow(`${file} cannot be the data directory`)
  })

  it('is refused while another process owns it, with the name of that process, and succeeds afterwards', () => {
    const directory = temporaryDirectory()
    const first = open(directory)
    const refusal = (): unknown => {
      try {
        return openDataDirectory(directory)
      } catch (error) {
        return error
      }
    }
    expect(refusal()).toEqual(new DataDirectoryInUseError(directory, {}))
    writeRuntimeInfo(directory, INFO)
    expect(refusal()).toMatchObject({
      name: 'DataDirectoryInUseError',
      dataDir: directory,
      owner: { pid: 4711, url: 'http://localhost:3477' },
    })
    first.release()
    const second = open(directory)
    first.release()
    expect(() => openDataDirectory(directory)).toThrow(DataDirectoryInUseError)
    second.release()
  })

  it('removes the runtime.json of a killed owner, and its own when it is released', () => {
    const directory = temporaryDirectory()
    writeRuntimeInfo(directory, INFO)
    const opened = open(directory)
    expect(readRuntimeInfo(directory)).toBeUndefined()
    writeRuntimeInfo(directory, { ...INFO, pid: process.pid })
    opened.release()
    expect(existsSync(join(directory, 'runtime.json'))).toBe(false)
  })

  it('knows that its owner was killed until the database has been opened, also if further owners end before', () => {
    const first = temporaryDirectory()
    writeFileSync(join(first, 'wes.sqlite-wal'), 'log')
    writeRuntimeInfo(first, INFO)
    expect(open(first).wasKilled).toBe(true)
    // What a kill leaves now.
    const directory = temporaryDirectory()
    cpSync(first, directory, { recursive: true })
    const second = open(directory)
    expect(second.wasKilled).toBe(true)
    second.release()
    const third = open(directory)
    expect(third.wasKilled).toBe(true)
    third.forgetKill()
    third.release()
    const fourth = open(directory)
    expect(fourth.wasKilled).toBe(false)
    fourth.release()
    // A database that was refused has taken its log.
    writeRuntimeInfo(directory, INFO)
    rmSync(join(directory, 'wes.sqlite-wal'))
    open(directory).release()
    expect(open(directory).wasKilled).toBe(false)
  })

  it.skipIf(process.platform !== 'linux')(
    'ends what effects of the killed owner have left, also if it is stopped, and nothing that others have started',
    async () => {
      const directory = temporaryDirectory()
      const left = startMarked(`${INFO.instanceId}.1`)
      const others = [startMarked('another.1'), startMarked(`${INFO.instanceId}2.1`)]
      left.kill('SIGSTOP')
      // As in a copy of the directory.
      writeRuntimeInfo(directory, INFO)
      open(directory).release()
      expect(left.signalCode).toBeNull()
      const link = join(temporaryDirectory(), 'link')
      symlinkSync(directory, link)
      writeRuntimeInfo(directory, { ...INFO, dataDir: link })
      const ended = once(left, 'exit')
      open(directory)
      expect(await ended).toEqual([null, 'SIGKILL'])
      expect(others.map(({ signalCode }) => signalCode)).toEqual([null, null])
    },
  )

  it('leaves the runtime.json of a process that owns a new directory at its path', () => {
    const directory = temporaryDirectory()
    const opened = open(directory)
    writeRuntimeInfo(directory, INFO)
    opened.release()
    expect(readRuntimeInfo(directory)).toEqual(INFO)
  })

  it('leaves it unlocked at the end also if the file that names its owner cannot be removed', () => {
    const directory = temporaryDirectory()
    const first = openDataDirectory(directory)
    const file = join(directory, 'runtime.json')
    mkdirSync(file)
    expect(first.release).toThrow('runtime.json')
    rmdirSync(file)
    open(directory)
  })
})

describe('runtime.json', () => {
  it('is read as it was written, with access for its owner only', () => {
    const directory = temporaryDirectory()
    expect(readRuntimeInfo(directory)).toBeUndefined()
    writeRuntimeInfo(directory, INFO)
    writeRuntimeInfo(directory, { ...INFO, port: 4000 })
    expect(readRuntimeInfo(directory)).toEqual({ ...INFO, port: 4000 })
    expect(modeOf(join(directory, 'runtime.json'))).toBe(0o600)
    expect(readdirSync(directory)).toEqual(['runtime.json'])
    removeRuntimeInfo(directory)
    removeRuntimeInfo(directory)
    expect(readRuntimeInfo(directory)).toBeUndefined()
  })

  it('is written after an earlier write was interrupted', () => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'runtime.json.new'), '{"pid":', { mode: 0o644 })
    writeRuntimeInfo(directory, INFO)
    expect(readRuntimeInfo(directory)).toEqual(INFO)
    expect(modeOf(join(directory, 'runtime.json'))).toBe(0o600)
  })

  it.each([
    ['nothing', ''],
    ['half a file', '{"pid": 4711, "po'],
    ['another value', '[]'],
    ['null', 'null'],
    ['a missing member', JSON.stringify({ ...INFO, secret: undefined })],
    ['a port out of range', JSON.stringify({ ...INFO, port: 70_000 })],
    ['a pid that is text', JSON.stringify({ ...INFO, pid: '4711' })],
    ['a pid that would signal everybody', JSON.stringify({ ...INFO, pid: -1 })],
  ])('counts as absent when it holds %s', (_what, text) => {
    const directory = temporaryDirectory()
    writeFileSync(join(directory, 'runtime.json'), text)
    expect(readRuntimeInfo(directory)).toBeUndefined()
  })
})
