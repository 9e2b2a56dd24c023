import { pino } from 'pino'
import { describe, expect, it, vi } from 'vitest'
import type { RuntimeInfo } from '../../src-runtime/data-directory/data-directory.ts'
import { createManualClock } from '../../src-runtime/shared/manual-clock.test-support.ts'
import type { Runtime } from '../../src-runtime/shared/runtime.ts'
import { createRuntimeSwitch } from './runtime-switch.ts'
import type { Attempt } from './start-runtime.ts'

const INFO: RuntimeInfo = {
  pid: 7,
  port: 3477,
  instanceId: 'i',
  version: '0.1.0',
  secret: 's',
  dataDir: '/data',
  projectFolder: '/data',
  startedAt: '2026-11-20T00:00:00.000Z',
}
const FOREIGN = {
  kind: 'foreign',
  port: 3477,
  holder: null,
  isReserved: false,
  runtime: null,
  suggestedPort: 3478,
  environmentLine: 'x',
} as const

const rig = () => {
  const clock = createManualClock(0)
  const attempts: ((signal: AbortSignal) => Promise<Attempt>)[] = []
  const told: string[] = []
  const logged: string[] = []
  let isThere = true
  let isPortFree = false
  const resumed: string[] = []
  const runtimes: { stopped: number; readonly loseData: (message: string) => void }[] = []
  const attempt = vi.fn((signal: AbortSignal) => (attempts.shift() ?? owned)(signal))
  const owned = async (): Promise<Attempt> => {
    const { promise: dataLost, resolve: loseData } = Promise.withResolvers<string>()
    const seen = { stopped: 0, loseData }
    runtimes.push(seen)
    const runtime: Runtime = {
      url: 'http://localhost:3477',
      port: 3477,
      instanceId: 'i',
      link: () => 'http://localhost:3477/',
      dataLost,
      resume: () => void resumed.push('resumed'),
      stop: async () => void (seen.stopped += 1),
    }
    return { kind: 'held', held: { owned: true, info: INFO, runtime } }
  }
  const adopted = async (): Promise<Attempt> => ({
    kind: 'held',
    held: { owned: false, info: { ...INFO, pid: 8, projectFolder: '/project' } },
  })
  const runtimeSwitch = createRuntimeSwitch({
    attempt,
    proves: async () => isThere,
    describeForeignPort: async () => FOREIGN,
    isPortFree: async () => isPortFree,
    clock,
    random: () => 0.5,
    logLines: () => ['the last line', ...logged],
    log: pino({ level: 'error' }, { write: (line: string) => void logged.push(line) }),
  })
  runtimeSwitch.onState(({ kind }) => told.push(kind))
  const pass = async (ms: number) => {
    clock.advance(ms)
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
  }
  return {
    runtimeSwitch,
    clock,
    attempt,
    attempts,
    owned,
    adopted,
    told,
    logged,
    resumed,
    runtimes,
    pass,
    isThere: (there: boolean) => (isThere = there),
    freePort: (isFree: boolean) => (isPortFree = isFree),
    /** Waits until the runtime counts as unreachable. */
    dies: async () => {
      isThere = false
      for (const ms of [2_000, 300, 300]) await pass(ms)
    },
  }
}

describe('the driver of the runtime switch', () => {
  it('starts and stops, and returns the runtime for requests in between', async () => {
    const { runtimeSwitch, told, runtimes } = rig()
    expect(runtimeSwitch.target()).toBeUndefined()
    await runtimeSwitch.start()
    expect(runtimeSwitch.state()).toEqual({
      kind: 'ready',
      url: 'http://localhost:3477',
      port: 3477,
      pid: 7,
      owned: true,
      projectFolder: null,
    })
    expect(runtimeSwitch.target()).toBe(INFO)
    await runtimeSwitch.stop()
    expect(runtimeSwitch.target()).toBeUndefined()
    expect(runtimes).toMatchObject([{ stopped: 1 }])
    expect(told).toEqual(['starting', 'ready', 'stopping', 'stopped'])
  })

  it('restarts with the current settings', async () => {
    const { runtimeSwitch, attempt, told, runtimes } = rig()
    await runtimeSwitch.start()
    await runtimeSwitch.restart()
    expect(attempt).toHaveBeenCalledTimes(2)
    expect(runtimes.map(({ stopped }) => stopped)).toEqual([1, 0])
    expect(told.slice(2)).toEqual(['stopping', 'starting', 'ready'])
  })

  it('detects that its runtime is gone, releases it, and starts another', async () => {
    const { runtimeSwitch, runtimes, pass, dies, isThere } = rig()
    await runtimeSwitch.start()
    await dies()
    expect(runtimeSwitch.state()).toMatchObject({
      kind: 'crashed',
      logLines: ['the last line', expect.stringContaining('the runtime does not answer')],
      restartsAt: expect.any(String) as string,
    })
    expect(runtimeSwitch.target()).toBeUndefined()
    expect(runtimes).toMatchObject([{ stopped: 1 }])
    isThere(true)
    await pass(1_000)
    expect(runtimeSwitch.state()).toMatchObject({ kind: 'ready', owned: true })
    expect(runtimes).toHaveLength(2)
  })

  it('logs why a runtime was not started', async () => {
    const { runtimeSwitch, attempts, logged } = rig()
    attempts.push(async () => ({ kind: 'failed', message: 'the data is of a newer version', permanent: true }))
    await runtimeSwitch.start()
    const reason = expect.stringContaining('the data is of a newer version') as string
    expect(logged).toEqual([reason])
    const logLines = ['the last line', reason]
    expect(runtimeSwitch.state()).toMatchObject({ kind: 'crashed', logLines, restartsAt: null })
  })

  it('shows its runtime as stopped when the data directory is gone, and starts none by itself', async () => {
    const { runtimeSwitch, runtimes, pass } = rig()
    await runtimeSwitch.start()
    runtimes[0]!.loseData('The data directory was deleted')
    await pass(0)
    const stopped = { kind: 'crashed', message: 'The data directory was deleted.', restartsAt: null }
    expect(runtimeSwitch.state()).toMatchObject(stopped)
    expect(runtimes).toMatchObject([{ stopped: 1 }])
    await pass(60_000)
    expect(runtimeSwitch.state()).toMatchObject(stopped)
    await runtimeSwitch.start()
    expect(runtimeSwitch.state().kind).toBe('ready')
  })

  it('ignores a short time without an answer', async () => {
    const { runtimeSwitch, isThere, pass, told } = rig()
    await runtimeSwitch.start()
    isThere(false)
    await pass(2_000)
    await pass(300)
    isThere(true)
    await pass(300)
    isThere(false)
    await pass(2_000)
    await pass(300)
    expect(told).toEqual(['starting', 'ready'])
  })

  it('checks at once on request', async () => {
    const { runtimeSwitch, isThere, pass } = rig()
    await runtimeSwitch.start()
    isThere(false)
    runtimeSwitch.lookNow()
    for (const ms of [0, 300, 300]) await pass(ms)
    expect(runtimeSwitch.state().kind).toBe('crashed')
  })

  it('does not restart after a stop', async () => {
    const { runtimeSwitch, dies, pass, attempt } = rig()
    await runtimeSwitch.start()
    await dies()
    await runtimeSwitch.stop()
    await pass(60_000)
    expect(runtimeSwitch.state().kind).toBe('stopped')
    expect(attempt).toHaveBeenCalledTimes(1)
  })

  it('starts its own runtime soon after the one that it was attached to ends', async () => {
    const { runtimeSwitch, attempts, adopted, dies, pass, isThere, attempt } = rig()
    attempts.push(adopted)
    await runtimeSwitch.start()
    expect(runtimeSwitch.state()).toMatchObject({ owned: false, pid: 8, projectFolder: '/project' })
    await dies()
    expect(runtimeSwitch.state().kind).toBe('starting')
    expect(attempt).toHaveBeenCalledTimes(1)
    isThere(true)
    await pass(500)
    expect(runtimeSwitch.state()).toMatchObject({ kind: 'ready', owned: true })
  })

  it('reports a failed start, and one refused because of the port', async () => {
    const { runtimeSwitch, attempts } = rig()
    attempts.push(() => Promise.reject(new Error('no disk')))
    await runtimeSwitch.start()
    expect(runtimeSwitch.state()).toMatchObject({ kind: 'crashed', message: 'No disk.' })
    attempts.push(async () => ({ kind: 'port_taken', port: 3477, isRefused: false }))
    await runtimeSwitch.start()
    expect(runtimeSwitch.state()).toEqual(FOREIGN)
    expect(runtimeSwitch.target()).toBeUndefined()
  })

  it('starts once the taken port has been free for some seconds', async () => {
    const { runtimeSwitch, attempts, attempt, pass, freePort } = rig()
    attempts.push(async () => ({ kind: 'port_taken', port: 3477, isRefused: false }))
    await runtimeSwitch.start()
    // While what has it starts again.
    for (const isFree of [false, true, true, false, true, true]) {
      freePort(isFree)
      await pass(2_000)
    }
    expect(runtimeSwitch.state()).toEqual(FOREIGN)
    expect(attempt).toHaveBeenCalledTimes(1)
    await pass(2_000)
    expect(runtimeSwitch.state()).toMatchObject({ kind: 'ready' })
  })

  it('stops a starting runtime once it has started', async () => {
    const { runtimeSwitch, attempts, owned, runtimes } = rig()
    let go = (): void => undefined
    attempts.push(async () => {
      await new Promise<void>((resolve) => (go = resolve))
      return owned()
    })
    const started = runtimeSwitch.start()
    await Promise.resolve()
    const stopped = runtimeSwitch.stop()
    expect(runtimeSwitch.state().kind).toBe('stopping')
    go()
    await Promise.all([started, stopped])
    expect(runtimeSwitch.state().kind).toBe('stopped')
    expect(runtimes).toMatchObject([{ stopped: 1 }])
  })

  it.each(['stop', 'close'] as const)('ends a start that takes long on %s, and says no more of it', async (end) => {
    const { runtimeSwitch, attempts, logged } = rig()
    attempts.push(async (signal) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return { kind: 'failed', message: 'aborted', permanent: false }
    })
    const started = runtimeSwitch.start()
    await Promise.resolve()
    await Promise.all([started, runtimeSwitch[end]()])
    expect([runtimeSwitch.state(), logged]).toEqual([{ kind: 'stopped' }, []])
  })

  it('makes the runtime check its timers after the machine slept', async () => {
    const { runtimeSwitch, resumed } = rig()
    runtimeSwitch.resume()
    await runtimeSwitch.start()
    runtimeSwitch.resume()
    expect(resumed).toEqual(['resumed'])
  })

  it('stops its own runtime when it is closed, leaves another process’s, and starts no more', async () => {
    const own = rig()
    await own.runtimeSwitch.start()
    await own.runtimeSwitch.close()
    expect(own.runtimes).toMatchObject([{ stopped: 1 }])
    await own.runtimeSwitch.start()
    expect(own.attempt).toHaveBeenCalledTimes(1)

    const other = rig()
    other.attempts.push(other.adopted)
    await other.runtimeSwitch.start()
    await other.runtimeSwitch.close()
    expect(other.runtimeSwitch.state().kind).toBe('stopped')
  })

  it('can be closed during a restart', async () => {
    const { runtimeSwitch, runtimes, attempt } = rig()
    await runtimeSwitch.start()
    void runtimeSwitch.restart()
    await runtimeSwitch.close()
    expect(runtimes).toMatchObject([{ stopped: 1 }])
    expect(attempt).toHaveBeenCalledTimes(1)
  })
})
