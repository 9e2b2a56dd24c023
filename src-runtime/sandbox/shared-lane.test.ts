import { pino } from 'pino'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { createProgramHosts, type ProgramHostsOptions } from './create-program-hosts.ts'
import type { HostProcess } from './spawn-host.ts'

/** A host that the test controls. */
const createScriptedHost = (pid: number) => {
  const exits: ((reason: string) => void)[] = []
  const messages: ((message: unknown) => void)[] = []
  const run: string[] = []
  let isKilled = false
  const send: HostProcess['send'] = (message) => {
    if (message.kind === 'run' && !isKilled) run.push(...message.batch.map(([, executionId]) => executionId))
  }
  const process: HostProcess = {
    pid,
    send,
    sendLarge: send,
    onMessage: (listener) => void messages.push(listener),
    onExit: (listener) => void exits.push(listener),
    kill: () => {
      isKilled = true
    },
  }
  return {
    process,
    run,
    get isKilled() {
      return isKilled
    },
    say: (message: unknown) => messages.forEach((listener) => listener(message)),
    exit: () => exits.forEach((listener) => listener('')),
  }
}

afterEach(() => {
  vi.useRealTimers()
})

/** Program hosts whose shared host is ready and has two tasks. */
const createScriptedPool = async ({
  readUsage,
  loadProgram = () => ({ code: '' }),
}: Partial<Pick<ProgramHostsOptions, 'readUsage' | 'loadProgram'>> = {}) => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  const started: ReturnType<typeof createScriptedHost>[] = []
  const hosts = createProgramHosts({
    log: pino({ level: 'silent' }),
    loadProgram,
    spawnHost: () => {
      const host = createScriptedHost(started.length + 1)
      started.push(host)
      return host.process
    },
    readUsage: readUsage ?? (() => undefined),
  })
  const lost: Promise<unknown>[] = []
  const activate = (executionId: string, tenant = '', data = '{}', version = `version${tenant}`): void => {
    const result = hosts.activate({
      executionId,
      programId: 'program',
      versionNumber: 1,
      versionId: version,
      tenant,
      turnsDone: 0,
      turns: [{ delivery: { kind: 'start', at: 0, data } }],
    })
    lost.push(result.catch(() => {}))
  }
  activate('exe_1')
  activate('exe_2')
  onTestFinished(async () => {
    const stopped = hosts.stop()
    for (const host of started) host.exit()
    await stopped
    await Promise.all(lost)
  })
  await vi.advanceTimersByTimeAsync(50)
  started[0]?.say({ kind: 'ready', slowness: 1 })
  return Object.assign(started, { activate })
}

test('tasks of a lost host move to a third host if the spare one is ending', async () => {
  const started = await createScriptedPool()
  const [first] = started
  await vi.advanceTimersByTimeAsync(350)
  const spare = started[1]
  spare?.say({ kind: 'ready', slowness: 1 })
  for (let i = 0; spare?.isKilled === false && i < 200; i++) {
    first?.say({ kind: 'results', running: 0, results: [] })
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(spare?.isKilled).toBe(true)
  first?.exit()
  await vi.advanceTimersByTimeAsync(100)
  spare?.exit()
  await vi.advanceTimersByTimeAsync(1000)
  expect(started[2]?.run).toEqual(['exe_1', 'exe_2'])
})

test('a silent host has one spare host, however long that takes to start', async () => {
  const started = await createScriptedPool()
  await vi.advanceTimersByTimeAsync(14_000)
  expect(started.map(({ isKilled }) => isKilled)).toEqual([false, false])
  started[1]?.say({ kind: 'ready', slowness: 1 })
  await vi.advanceTimersByTimeAsync(100)
  expect(started[0]?.isKilled).toBe(true)
  expect(started[1]?.run).toEqual(['exe_1', 'exe_2'])
})

test('a silent host is replaced where no spare one can start, which is tried less and less often', async () => {
  const started = await createScriptedPool()
  for (let tick = 0; tick < 40; tick += 1) {
    const known = started.length
    await vi.advanceTimersByTimeAsync(50)
    for (const host of started.slice(known)) host.exit()
  }
  expect(started).toHaveLength(6)
  expect(started[0]?.isKilled).toBe(true)
  await vi.advanceTimersByTimeAsync(2000)
  expect(started[6]?.run).toEqual(['exe_1', 'exe_2'])
})

test('a host that the system hardly runs is not replaced until it has computed for long', async () => {
  let cpuMs = 0
  const started = await createScriptedPool({ readUsage: () => ({ cpuMs, rssBytes: 0 }) })
  const runAt3Percent = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      for (let part = 0; part < 3; part += 1) {
        await vi.advanceTimersByTimeAsync(333)
        cpuMs += 10
      }
    }
  }
  await runAt3Percent(4)
  expect(started).toHaveLength(1)
  await runAt3Percent(6)
  started[1]?.say({ kind: 'ready', slowness: 1 })
  await runAt3Percent(2)
  expect(started[0]?.isKilled).toBe(false)
  await runAt3Percent(4)
  expect(started[0]?.isKilled).toBe(true)
})

test('a host that gets no CPU at all is replaced, and no Execution is blamed', async () => {
  const started = await createScriptedPool({ readUsage: () => ({ cpuMs: 100, rssBytes: 0 }) })
  started[0]?.say({ kind: 'results', running: 1, results: [] })
  await vi.advanceTimersByTimeAsync(1900)
  started[1]?.say({ kind: 'ready', slowness: 1 })
  expect(started[0]?.isKilled).toBe(false)
  await vi.advanceTimersByTimeAsync(400)
  expect(started[0]?.isKilled).toBe(true)
  expect(started[1]?.run).toEqual(['exe_1', 'exe_2'])
})

test('a host gets few large inputs at once, and small ones do not wait for them', async () => {
  const started = await createScriptedPool()
  for (let n = 0; n < 12; n += 1) started.activate(`exe_large_${n}`, 'large', 'x'.repeat(1_000_000))
  await vi.advanceTimersByTimeAsync(0)
  started.activate('exe_small', 'small')
  await vi.advanceTimersByTimeAsync(0)
  expect(started[0]?.run).toEqual(['exe_1', 'exe_2', 'exe_large_0', 'exe_large_1', 'exe_small'])
  for (const sequence of [3, 4]) {
    started[0]?.say({ kind: 'results', running: 0, results: [[sequence, 'image_missing']] })
    await vi.advanceTimersByTimeAsync(0)
  }
  expect(started[0]?.run.slice(5)).toEqual(['exe_large_2', 'exe_large_3'])
})

test('a host gets the code of few large versions at once, and Executions whose code it has do not wait for it', async () => {
  const code = (versionId: string) => (versionId.startsWith('large') ? 'x'.repeat(600_000) : '')
  const started = await createScriptedPool({ loadProgram: (versionId) => ({ code: code(versionId) }) })
  for (let n = 0; n < 4; n += 1) started.activate(`exe_large_${n}`, 'large', '{}', `large_${n}`)
  await vi.advanceTimersByTimeAsync(0)
  started.activate('exe_3')
  started.activate('exe_new', 'new')
  await vi.advanceTimersByTimeAsync(0)
  expect(started[0]?.run).toEqual(['exe_1', 'exe_2', 'exe_large_0', 'exe_large_1', 'exe_3'])
  started[0]?.say({ kind: 'results', running: 0, results: [[3, 'image_missing']] })
  await vi.advanceTimersByTimeAsync(0)
  expect(started[0]?.run.slice(5)).toEqual(['exe_large_2'])
  started[0]?.say({ kind: 'results', running: 0, results: [[4, 'image_missing']] })
  await vi.advanceTimersByTimeAsync(0)
  expect(started[0]?.run.slice(6)).toEqual(['exe_new', 'exe_large_3'])
})
