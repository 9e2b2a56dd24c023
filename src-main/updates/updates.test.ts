import { pino } from 'pino'
import { describe, expect, it, vi } from 'vitest'
import { createManualClock } from '../../src-runtime/shared/manual-clock.test-support.ts'
import type { Update, UpdateState } from '../preload/desktop-api.ts'
import { DEFAULT_SETTINGS, type Settings } from '../settings/settings.ts'
import type { Activity, RestartAnswer } from './restart-question.ts'
import { createUpdates, FIRST_CHECK_MS, type UpdateSource } from './updates.ts'

const UPDATE: Update = { version: '0.2.0', bytes: 1_000, releasedAt: null, notes: null }
const HOUR_MS = 3_600_000
const NOW = Date.parse('2026-11-20T10:00:00.000Z')

type Given = {
  readonly off?: string
  readonly settings?: Partial<Settings>
  readonly activity?: Activity | Promise<never>
  readonly answer?: RestartAnswer
  readonly source?: Partial<Pick<UpdateSource, 'check' | 'download'>>
}

const rig = ({ off, settings: chosen, activity = { kind: 'idle' }, answer = 'later', source: given }: Given = {}) => {
  const clock = createManualClock(NOW)
  let settings: Settings = { ...DEFAULT_SETTINGS, ...chosen }
  const listeners: ((now: Settings, before: Settings) => void)[] = []
  const source = {
    check: vi.fn<UpdateSource['check']>(given?.check ?? (async () => ({ newest: '0.2.0', update: UPDATE }))),
    download: vi.fn<UpdateSource['download']>(given?.download ?? (async () => undefined)),
    abort: vi.fn<UpdateSource['abort']>(),
    restart: vi.fn<UpdateSource['restart']>(),
    prepareInstallOnQuit: vi.fn<UpdateSource['prepareInstallOnQuit']>(),
    install: vi.fn<UpdateSource['install']>(async () => true),
  }
  const ask = vi.fn(async () => answer)
  const store = {
    get: () => settings,
    change: (patch: Partial<Settings>) => {
      const before = settings
      settings = { ...settings, ...patch }
      for (const listener of listeners) listener(settings, before)
      return settings
    },
    onChange: (listener: (now: Settings, before: Settings) => void) => void listeners.push(listener),
  }
  const updates = createUpdates({
    off: off ?? null,
    ownVersion: '0.1.0',
    source,
    settings: store,
    activity: async () => activity,
    ask,
    clock,
    log: pino({ level: 'silent' }),
  })
  const kind = () => updates.get().state.kind
  const until = (expected: UpdateState['kind']) => vi.waitUntil(() => kind() === expected)
  const ready = async () => {
    updates.check()
    await until('available')
    updates.download()
    await until('ready')
  }
  return { updates, source, ask, clock, store, until, ready, kind }
}

/** Never settles, like a server that does not answer. */
const forEver = () => new Promise<never>(() => undefined)

describe('updates', () => {
  it('are looked for soon after the start, and once a day', async () => {
    const { updates, source, clock, until } = rig()
    updates.schedule()
    clock.advance(FIRST_CHECK_MS - 1)
    expect(source.check).not.toHaveBeenCalled()
    clock.advance(1)
    await until('available')
    expect(updates.get().checkedAt).toBe(new Date(NOW + FIRST_CHECK_MS).toISOString())
    clock.advance(23 * HOUR_MS)
    expect(source.check).toHaveBeenCalledTimes(1)
    clock.advance(HOUR_MS)
    await vi.waitFor(() => expect(source.check).toHaveBeenCalledTimes(2))
  })

  it('are looked for within the hour when the machine has slept for a day, or the clock was set back', async () => {
    const { updates, source, clock, until } = rig()
    updates.schedule()
    clock.advance(FIRST_CHECK_MS)
    await until('available')
    clock.jump(NOW + 30 * HOUR_MS)
    clock.advance(HOUR_MS)
    await vi.waitFor(() => expect(source.check).toHaveBeenCalledTimes(2))
    await until('available')
    clock.jump(NOW - 9_000 * HOUR_MS)
    clock.advance(HOUR_MS)
    await vi.waitFor(() => expect(source.check).toHaveBeenCalledTimes(3))
  })

  it('are looked for again within the hour when a check failed, as before the network is there', async () => {
    const check = vi.fn<UpdateSource['check']>(() => Promise.reject(new Error('net::ERR_INTERNET_DISCONNECTED')))
    const { updates, clock, until, kind } = rig({ source: { check } })
    updates.schedule()
    clock.advance(FIRST_CHECK_MS)
    await vi.waitUntil(() => updates.get().quietProblem !== null)
    check.mockResolvedValue({ newest: '0.2.0', update: UPDATE })
    clock.advance(HOUR_MS)
    await until('available')
    clock.advance(23 * HOUR_MS)
    expect([kind(), check.mock.calls.length]).toEqual(['available', 2])
  })

  it('are looked for only on request if the user wants that', async () => {
    const { updates, source, clock, until } = rig({ settings: { checkForUpdates: false } })
    updates.schedule()
    clock.advance(48 * HOUR_MS)
    expect(source.check).not.toHaveBeenCalled()
    updates.check()
    await until('available')
  })

  it('are never looked for where the app does not update itself', () => {
    const { updates, source, clock, kind } = rig({ off: 'The package manager does.' })
    updates.schedule()
    clock.advance(48 * HOUR_MS)
    updates.check()
    expect([kind(), source.check.mock.calls]).toEqual(['off', []])
  })

  it('tell each step of a download, and are ready after it', async () => {
    const { updates, until } = rig({
      source: {
        download: async (onProgress) => onProgress({ receivedBytes: 5, totalBytes: 10, bytesPerSecond: 1 }),
      },
    })
    const states: UpdateState[] = []
    updates.onChange(({ state }) => states.push(state))
    updates.check()
    await until('available')
    updates.download()
    await until('ready')
    expect(states.map(({ kind }) => kind)).toEqual(['checking', 'available', 'downloading', 'downloading', 'ready'])
    expect(states[3]).toMatchObject({ receivedBytes: 5, totalBytes: 10, bytesPerSecond: 1 })
  })

  it('give up a check after a minute, and check again', async () => {
    const check = vi.fn<UpdateSource['check']>(forEver)
    const { updates, source, clock, until } = rig({ source: { check } })
    updates.check()
    await vi.waitUntil(() => check.mock.calls.length === 1)
    clock.advance(60_000)
    await until('failed')
    expect(updates.get().state).toMatchObject({ problem: expect.stringContaining('within a minute') })
    expect(source.abort).toHaveBeenCalledTimes(1)
    check.mockResolvedValue({ newest: '0.1.0', update: null })
    updates.check()
    await until('none')
  })

  it('give up a download of which nothing arrives for a minute', async () => {
    let tell: (bytes: number) => void = () => undefined
    const { updates, source, clock, until, kind } = rig({
      source: {
        download: (onProgress) => {
          tell = (receivedBytes) => onProgress({ receivedBytes, totalBytes: 10, bytesPerSecond: 1 })
          return forEver()
        },
      },
    })
    updates.check()
    await until('available')
    updates.download()
    await vi.waitUntil(() => clock.pending() > 0)
    for (const bytes of [1, 2, 3]) {
      clock.advance(59_000)
      tell(bytes)
    }
    expect(kind()).toBe('downloading')
    clock.advance(60_000)
    await until('failed')
    expect(source.abort).toHaveBeenCalledTimes(1)
  })

  it('drop what a cancelled download reports, and load again after it has ended', async () => {
    const ends: (() => void)[] = []
    const download = vi.fn<UpdateSource['download']>(() => new Promise((resolve) => ends.push(resolve)))
    const { updates, source, until, kind } = rig({ source: { download } })
    updates.check()
    await until('available')
    updates.download()
    await vi.waitUntil(() => ends.length === 1)
    updates.cancelDownload()
    expect([kind(), source.abort.mock.calls.length]).toEqual(['available', 1])
    updates.download()
    ends[0]!()
    await vi.waitUntil(() => ends.length === 2)
    expect(kind()).toBe('downloading')
    ends[1]!()
    await until('ready')
  })

  it('look at the other channel when the user chooses it', async () => {
    const { source, store, until } = rig()
    store.change({ theme: 'dark' })
    expect(source.check).not.toHaveBeenCalled()
    store.change({ updateChannel: 'beta' })
    await until('available')
    expect(source.check.mock.calls).toEqual([['beta']])
  })
})

describe('a restart for an update', () => {
  const ACTIVE: Activity = { kind: 'active', running: 1, waiting: 0, inEffects: 1 }

  it('is refused without an update', async () => {
    await expect(rig().updates.restart()).rejects.toMatchObject({ code: 'not_ready' })
  })

  it('comes at once if nothing runs, and installs when everything has stopped', async () => {
    const { updates, source, ask, ready } = rig()
    await ready()
    await updates.atEnd(false)
    expect(source.install).not.toHaveBeenCalled()
    await updates.restart()
    expect([ask.mock.calls.length, source.restart.mock.calls.length]).toEqual([0, 1])
    await updates.atEnd(false)
    expect(source.install.mock.calls).toEqual([[true]])
  })

  it('asks if Executions run, and takes “Later” for an answer', async () => {
    const { updates, source, ask, ready, kind } = rig({ activity: ACTIVE })
    await ready()
    await updates.restart()
    expect(ask.mock.calls).toEqual([[UPDATE, ACTIVE]])
    await updates.atEnd(false)
    expect([kind(), source.restart.mock.calls, source.install.mock.calls]).toEqual(['ready', [], []])
  })

  it('asks also if nobody knows what runs, and only once at a time', async () => {
    const { updates, source, ask, ready } = rig({ activity: { kind: 'unknown' }, answer: 'now' })
    await ready()
    await Promise.all([updates.restart(), updates.restart()])
    expect([ask.mock.calls.length, source.restart.mock.calls.length]).toEqual([1, 1])
  })

  it('asks also if the runtime does not answer', async () => {
    const { updates, source, ask, clock, ready } = rig({ activity: forEver(), answer: 'now' })
    await ready()
    const restarting = updates.restart()
    clock.advance(5_000)
    await restarting
    expect(ask.mock.calls).toEqual([[UPDATE, { kind: 'unknown' }]])
    expect(source.restart).toHaveBeenCalledTimes(1)
  })

  it('may wait until the user quits, and then does not start the app again', async () => {
    const { updates, source, ready } = rig({ activity: ACTIVE, answer: 'on-quit' })
    await ready()
    await updates.restart()
    expect(updates.get().state).toMatchObject({ kind: 'ready', installsOnQuit: true })
    await updates.atEnd(false)
    expect([source.restart.mock.calls, source.install.mock.calls]).toEqual([[], [[false]]])
  })

  it('says that it failed if the installer fails, or the app still runs a minute later', async () => {
    const { updates, source, clock, ready, kind } = rig()
    await ready()
    await updates.restart()
    clock.advance(59_000)
    source.restart.mock.lastCall![0](new Error('Code signature did not pass validation'))
    expect(updates.get().state).toMatchObject({ during: 'install', problem: expect.stringContaining('not signed') })
    await updates.restart()
    clock.advance(59_000)
    expect([kind(), source.abort.mock.calls.length]).toEqual(['restarting', 0])
    clock.advance(1_000)
    expect(updates.get().state).toMatchObject({ during: 'install', problem: expect.stringContaining('closed') })
    // It must not end the app later on.
    expect(source.abort).toHaveBeenCalledTimes(1)
    await updates.atEnd(false)
    expect(source.install).not.toHaveBeenCalled()
  })
})
