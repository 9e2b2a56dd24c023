import { pino } from 'pino'
import { afterEach, expect, test, vi } from 'vitest'
import { createProgramHosts } from './create-program-hosts.ts'
import type { HostProcess } from './spawn-host.ts'

/** A host that the test controls. */
const createScriptedHost = () => {
  const exits: ((reason: string) => void)[] = []
  const messages: ((message: unknown) => void)[] = []
  const run: string[] = []
  let isKilled = false
  const process: HostProcess = {
    pid: 0,
    send: (message) => {
      if (message.kind === 'run' && !isKilled) run.push(...message.batch.map(([, executionId]) => executionId))
    },
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

test('tasks of a lost host move to a third host if the spare one is ending', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  const started: ReturnType<typeof createScriptedHost>[] = []
  const hosts = createProgramHosts({
    log: pino({ level: 'silent' }),
    loadProgram: () => ({ code: '' }),
    spawnHost: () => {
      const host = createScriptedHost()
      started.push(host)
      return host.process
    },
  })
  const activate = (executionId: string) =>
    hosts.activate({
      executionId,
      programId: 'program',
      versionNumber: 1,
      versionId: 'version',
      turnsDone: 0,
      turns: [{ delivery: { kind: 'start', at: 0, data: '{}' } }],
    })
  const lost = [activate('exe_1'), activate('exe_2')].map((result) => result.catch(() => {}))
  await Promise.resolve()
  const [first] = started
  first?.say({ kind: 'ready', slowness: 1 })
  await vi.advanceTimersByTimeAsync(250)
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
  const stopped = hosts.stop()
  for (const host of started.slice(2)) host.exit()
  await stopped
  await Promise.all(lost)
})
