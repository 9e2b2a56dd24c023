import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createRuntime } from './create-runtime.ts'
import { resetDataDirectory } from './data-directory/data-directory.ts'
import { nodeFork, type Fork, type ForkedProcess } from './shared/fork.ts'
import { recordDiskCalls } from './shared/disk-calls.test-support.ts'
import { temporaryFolder } from './shared/temporary-folder.test-support.ts'
import type { UpgradeProgress } from './shared/runtime.ts'
import { openDatabase } from './store/database.ts'
import { MIGRATIONS } from './store/migrations.ts'
import { makeFastToUpgrade, writeSlowToUpgrade } from './store/slow-upgrade.test-support.ts'
import type * as FirstReadModule from './source/first-read.ts'

const compiler = vi.hoisted(() => ({
  open: (): unknown => {
    throw new Error('there is no compiler for this machine')
  },
}))
const sourceRead = vi.hoisted(() => ({ onWait: (): void => undefined }))
vi.mock('./source/first-read.ts', async (importOriginal) => {
  const { createFirstRead } = await importOriginal<typeof FirstReadModule>()
  return {
    createFirstRead: () => {
      const read = createFirstRead()
      const wait = () => {
        sourceRead.onWait()
        return read.wait()
      }
      return { ...read, wait }
    },
  }
})
vi.mock('./source/create-source.ts', () => ({ createSource: () => compiler.open() }))

const silent = pino({ level: 'silent' })

const newFolder = (): string => temporaryFolder('start')

it('gives its port back when it cannot write who owns the data directory', async () => {
  const dataDir = newFolder()
  const start = (port: number) => createRuntime({ dataDir, port, projectFolder: dataDir, watch: false, log: silent })
  const { port, stop } = await start(0)
  await stop()
  const inTheWay = join(dataDir, 'runtime.json.new')
  mkdirSync(inTheWay)
  await expect(start(port)).rejects.toThrow('runtime.json.new')
  rmdirSync(inTheWay)
  const again = await start(port)
  await again.stop()
})

it('says after a kill that the log of the database is missing, and says nothing after a stop', async () => {
  const dataDir = newFolder()
  const lines: string[] = []
  const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) })
  const told: string[] = []
  const onLogFault = (fault: string) => void told.push(fault)
  const run = async () => {
    const runtime = await createRuntime({ dataDir, port: 0, projectFolder: dataDir, watch: false, onLogFault, log })
    expect(existsSync(join(dataDir, 'killed-runtime.json'))).toBe(false)
    await runtime.stop()
  }
  await run()
  // So that there is none after a loss of power, either, runtime.json is gone for good before the log is.
  const logs: unknown[] = []
  const calls = recordDiskCalls((call) => {
    if (call.endsWith(' runtime.json')) logs.push([call, calls.at(-2), existsSync(join(dataDir, 'wes.sqlite-wal'))])
  })
  await run()
  const flushed = `flush ${basename(dataDir)}`
  expect(logs.slice(0, 2)).toEqual([
    ['name runtime.json', flushed, true],
    ['remove runtime.json', expect.any(String), true],
  ])
  expect(calls[calls.indexOf('remove runtime.json') + 1]).toBe(flushed)
  expect(lines).toEqual([])
  writeFileSync(join(dataDir, 'runtime.json'), '{}') // as a kill leaves it
  await run()
  await run()
  const fault = 'wes.sqlite-wal is missing, although its runtime was killed'
  expect([told, lines]).toEqual([[expect.stringContaining(fault)], []])
})

it('says before it upgrades a database that it does, and where the copy is', async () => {
  const dataDir = newFolder()
  openDatabase({ file: join(dataDir, 'wes.sqlite'), now: Date.now, migrations: MIGRATIONS.slice(0, -1) }).close()
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) })
  for (const _ of ['upgraded', 'as it is']) {
    const { stop } = await createRuntime({ dataDir, port: 0, projectFolder: dataDir, watch: false, log })
    await stop()
  }
  expect(lines).toEqual([
    expect.stringMatching(/older version of WES: it is copied to .*wes\.sqlite\.schema-.*\.backup and upgraded/),
  ])
})

it('upgrades a database while its process goes on, and when it is asked to stop leaves it as it was', async () => {
  const dataDir = newFolder()
  const file = join(dataDir, 'wes.sqlite')
  writeSlowToUpgrade(file)
  const stopping = new AbortController()
  const seen: UpgradeProgress[] = []
  const onUpgradeProgress = (progress: UpgradeProgress): void => {
    seen.push(progress)
    if (progress.kind === 'upgrading' && progress.step === 3) stopping.abort(new Error('asked to stop'))
  }
  const options = { dataDir, port: 0, projectFolder: dataDir, watch: false, log: silent }
  const starting = createRuntime({ ...options, signal: stopping.signal, onUpgradeProgress })
  await expect(starting).rejects.toThrow('asked to stop')
  expect(seen.at(-1)).toEqual({ kind: 'upgrading', step: 3, steps: MIGRATIONS.length - 1 })
  expect(readdirSync(dataDir).filter((name) => /runtime\.json|-wal|\.part|\.backup/.test(name))).toEqual([])
  expect(makeFastToUpgrade(file)).toBe(1)
  const { stop } = await createRuntime(options)
  await stop()
})

describe('an upgrade of the database', () => {
  /** Returns the copies of the database. */
  const upgradeWith = async (start: Fork['start']) => {
    const dataDir = newFolder()
    openDatabase({ file: join(dataDir, 'wes.sqlite'), now: Date.now, migrations: MIGRATIONS.slice(0, -1) }).close()
    const forks = { upgrade: { ...nodeFork, start } }
    const { stop } = await createRuntime({ dataDir, port: 0, projectFolder: dataDir, watch: false, log: silent, forks })
    await stop()
    return readdirSync(dataDir).filter((name) => name.endsWith('.backup'))
  }
  /** A process that does this instead. */
  const instead =
    (code: string): Fork['start'] =>
    (_file, _args, options) => {
      const script = join(newFolder(), 'instead.mjs')
      writeFileSync(script, code)
      return nodeFork.start(script, [], options)
    }
  const BEGINS = `process.send({ kind: 'begins', backup: '/backup' })`

  it('that finds the disk full says what to do', async () => {
    const said = { kind: 'failed', name: 'StoreUnavailableError', message: 'full', code: 'SQLITE_FULL' }
    const failing = instead(`${BEGINS}; process.send(${JSON.stringify(said)}); setInterval(() => {}, 1_000)`)
    await expect(upgradeWith(failing)).rejects.toThrow(/the disk that holds .* is full\. Make room on it/)
  })

  it('whose process is killed fails, with what that has said last', async () => {
    await expect(upgradeWith(instead(`${BEGINS}; console.error('no memory'); process.exit(3)`))).rejects.toThrow(
      'the process that upgraded the database ended before it was done (no memory)',
    )
  })

  it('is done by the runtime itself if no process can be started for it', async () => {
    const throws = (): never => {
      throw new Error('no process is left')
    }
    const unable = instead(
      `process.send({ kind: 'failed', name: 'Error', message: 'no binary' }); setInterval(() => {}, 1_000)`,
    )
    for (const start of [throws, instead('process.exit(1)'), unable]) {
      await expect(upgradeWith(start)).resolves.toHaveLength(1)
    }
  })
})

it('reads the folder that it was started for, although the list of trusted folders cannot be read a moment later', async () => {
  const dataDir = newFolder()
  mkdirSync(join(dataDir, 'programs'))
  const opened = vi.spyOn(compiler, 'open')
  onTestFinished(() => opened.mockRestore())
  const runtime = await createRuntime({
    ...{ dataDir, port: 0, projectFolder: dataDir, watch: false, log: silent },
    get startedBy() {
      writeFileSync(join(dataDir, 'trusted-folders.json'), '')
      return { cli: 'wes', start: 'wes dev' }
    },
  })
  onTestFinished(runtime.stop)
  await vi.waitFor(() => expect(opened).toHaveBeenCalled())
})

it('leaves neither a process nor an open database when one of its parts cannot start', async () => {
  const dataDir = newFolder()
  const children: ForkedProcess[] = []
  const programs: Fork = {
    ...nodeFork,
    start: (...args) => {
      const child = nodeFork.start(...args)
      children.push(child)
      return child
    },
  }
  const options = { dataDir, port: 0, projectFolder: dataDir, watch: false, log: silent, forks: { programs } }
  const broken = {
    ...options,
    get startedBy(): never {
      throw new Error('this part cannot start')
    },
  }
  await expect(createRuntime(broken)).rejects.toThrow('this part cannot start')
  expect(children).toHaveLength(1)
  expect(children[0]?.signalCode).toBe('SIGKILL')
  // Refused while the database is open.
  resetDataDirectory(dataDir, 'executions', Date.now)
})

it('stops, and gives its data directory back, also when the compiler could not be loaded', async () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'programs'))
  const logged: string[] = []
  const log = pino({ level: 'error' }, { write: (line) => void logged.push(line) })
  const start = () => createRuntime({ dataDir: join(folder, 'data'), port: 0, projectFolder: folder, log })
  const first = await start()
  await vi.waitFor(() => expect(logged.join()).toContain('the project cannot be read'))
  await first.stop()
  const second = await start()
  await second.stop()
})

// Windows deletes no file that is open.
it.skipIf(process.platform === 'win32')(
  'refuses requests once its data directory was deleted, and says so',
  async () => {
    const folder = newFolder()
    const dataDir = join(folder, 'data')
    const { url, dataLost, stop } = await createRuntime({
      dataDir,
      port: 0,
      projectFolder: folder,
      watch: false,
      log: silent,
    })
    rmSync(dataDir, { recursive: true })
    const message = await dataLost
    expect(message).toContain(`The data directory ${dataDir} was deleted`)
    const answer = await fetch(`${url}/v1/projects`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'new' }),
    })
    expect([answer.status, await answer.json()]).toEqual([503, { error: { code: 'unavailable', message } }])
    await stop()
  },
)

describe.skipIf(process.platform === 'win32')('a runtime', () => {
  it.each([
    ['the log of its database', 'wes.sqlite-wal'],
    ['the file of its lock', 'lock.sqlite'],
  ])('notices that %s was deleted, and writes everything into the database when it stops', async (_what, file) => {
    const folder = newFolder()
    const dataDir = join(folder, 'data')
    const start = () => createRuntime({ dataDir, port: 0, projectFolder: folder, watch: false, log: silent })
    const first = await start()
    const created = await fetch(`${first.url}/v1/projects`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'kept' }),
    })
    expect(created.status).toBe(201)
    rmSync(join(dataDir, file))
    expect(await first.dataLost).toContain(`The data directory ${dataDir} was deleted`)
    await first.stop()
    const second = await start()
    expect(await (await fetch(`${second.url}/v1/projects`)).text()).toContain('"kept"')
    await second.stop()
  })
})

it('says that the source is being read, and answers starts that wait for it before it stops', async () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'programs'))
  vi.spyOn(compiler, 'open').mockReturnValue({
    start: () => new Promise(() => undefined),
    status: () => ({
      folder,
      watching: true,
      isMissing: false,
      isReading: false,
      project: undefined,
      programs: [],
      errors: [],
      warnings: [],
    }),
    onEvent: () => () => undefined,
    stop: () => Promise.resolve(),
  })
  const { url, stop } = await createRuntime({
    dataDir: join(folder, 'data'),
    port: 0,
    projectFolder: folder,
    log: pino({ level: 'silent' }),
  })
  const waiting = Promise.withResolvers<void>()
  sourceRead.onWait = waiting.resolve
  const start = fetch(`${url}/v1/executions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ programId: 'hello' }),
  })
  await waiting.promise
  expect(await (await fetch(`${url}/v1/source`)).json()).toMatchObject({ reading: true })
  const [answer] = await Promise.all([start, stop()])
  expect(answer.status).toBe(404)
})
