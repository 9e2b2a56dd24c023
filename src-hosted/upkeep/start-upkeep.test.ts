import pino from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startUpkeep } from './start-upkeep.ts'

it('folds within a minute what was stored by Executions that were deleted, also the last part of a large journal', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const done: string[] = []
  const work = (name: string) => () => Promise.resolve(done.push(name) === 0)
  /** Of what is not given here, nothing is left to do. */
  const idle = { get: () => () => Promise.resolve([]) }
  const parts: Readonly<Record<string, unknown>> = {
    usage: { fold: work('fold') },
    upkeep: {
      fold: () => Promise.resolve(false),
      removeOld: work('remove'),
      removeEnded: () => Promise.resolve(false),
    },
  }
  type Deps = Parameters<typeof startUpkeep>[0]
  const upkeep = startUpkeep({
    store: new Proxy({}, { get: (_, name) => parts[String(name)] ?? new Proxy({}, idle) }),
    dispatcher: new Proxy({}, idle),
    portsOf: () => Promise.reject(new Error('not asked for')),
    limits: () => ({ retentionDays: 30 }),
    log: pino({ level: 'silent' }),
  } as unknown as Deps)
  onTestFinished(() => upkeep.stop())
  await vi.advanceTimersByTimeAsync(1_000)
  done.length = 0
  await vi.advanceTimersByTimeAsync(50_000)
  expect(done.slice(done.indexOf('remove'))).toContain('fold')
})
