import { pino } from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createAttempt } from './attempt.ts'
import { DEFAULT_EFFECT_HOST_LIMITS } from './effect-host-limits.ts'
import type { EffectLog, EffectOutcome } from './effect-performer.ts'
import { timedOut } from './failures.ts'
import { createHostGroup } from './host-group.ts'
import type { FromHost, ToHost } from './messages.ts'
import type { SpawnEffectHost } from './spawn-effect-host.ts'

/** Its hosts have read one module, and their attempts do not end by themselves. */
const createRig = () => {
  const module = { stamp: 'a', looks: 0, msToLook: 0 }
  let time = 0
  let hosts = 0
  let say: (messages: readonly FromHost[]) => void = () => {}
  const outcomes: EffectOutcome[] = []
  const spawn: SpawnEffectHost = (_options, { onMessage, onExit }) => {
    hosts += 1
    say = onMessage
    onMessage([{ kind: 'read', file: '/lib/index.js', stamp: module.stamp }])
    return { pid: hosts, send: () => {}, kill: () => onExit({ code: null, signal: 'SIGKILL' }) }
  }
  const stampOf = (): string => {
    module.looks += 1
    time += module.msToLook
    return module.stamp
  }
  const place = { name: 'p', folder: '/p', memoryAdvice: '', fingerprint: () => '', stampOf, environment: () => ({}) }
  const limits = { ...DEFAULT_EFFECT_HOST_LIMITS, stopMs: 0 }
  const group = createHostGroup(place, { spawn, limits, log: pino({ level: 'silent' }), now: () => time })
  onTestFinished(group.stop)
  const pass = (ms: number): void => {
    time += ms
  }
  const performAfter = (ms: number, timeoutMs = 1_000_000_000): number => {
    pass(ms)
    const call = {
      ...{ executionId: `exe_${time}`, programId: `p${time}`, versionId: 'ver_1', name: 'act', attempt: 1 },
      ...{ timeoutMs, idempotencyKey: 'k', data: '{}', signal: new AbortController().signal },
      onLog: () => {},
    }
    const bundle = { digest: 'a', load: () => ({ code: '' }) } as never
    group.perform(createAttempt(call, bundle, (outcome) => outcomes.push(outcome)))
    return hosts
  }
  return { module, outcomes, pass, performAfter, say: (message: FromHost) => say([message]) }
}

it('replaces a host each time that a module it has read was changed, while few have attempts left', () => {
  const { module, performAfter } = createRig()
  const hosts = [...'aabbcdefghijk'].map((stamp) => {
    module.stamp = stamp
    return performAfter(10_000)
  })
  expect(hosts).toEqual([1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8])
})

it('looks at modules less often when that takes long', () => {
  const { module, performAfter } = createRig()
  module.msToLook = 20
  performAfter(0)
  for (let at = 0; at < 10_000; at += 10) performAfter(10)
  expect(module.looks).toBeLessThan(12)
  module.msToLook = 1_000_000
  performAfter(2_000)
  module.stamp = 'b'
  expect(performAfter(2_000)).toBe(2)
})

it('reads what a host has said before an attempt times out, when the runtime was stopped for a while', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { outcomes, pass, performAfter, say } = createRig()
  performAfter(0, 20_000)
  performAfter(0, 20_000)
  say({ kind: 'loaded', bundle: 'a' })
  say({ kind: 'beat', left: 0, heard: 3 })
  const tick = (): void => {
    pass(250)
    vi.advanceTimersByTime(250)
  }
  tick()
  pass(60_000)
  tick()
  expect(outcomes).toEqual([])
  say({ kind: 'completed', id: 1, data: '{"result":1}' })
  for (let ticks = 0; ticks < 4; ticks++) tick()
  expect(outcomes).toEqual([{ kind: 'completed', data: '{"result":1}' }, timedOut('act', 20_000)])
})

it('ends attempts in time although the runtime is always late', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const { outcomes, pass, performAfter, say } = createRig()
  performAfter(0, 20_000)
  say({ kind: 'loaded', bundle: 'a' })
  say({ kind: 'beat', left: 0, heard: 2 })
  for (let ticks = 0; ticks < 20; ticks++) {
    pass(1_500)
    vi.advanceTimersByTime(250)
  }
  expect(outcomes).toEqual([timedOut('act', 20_000)])
})

/** Hosts whose attempts end when the test says so. */
const createHeldRig = () => {
  type Host = { readonly held: Map<number, string>; readonly endOne: () => void; readonly crash: () => void }
  const hosts = new Set<Host>()
  const outcomes: EffectOutcome[] = []
  const logs: string[] = []
  const spawn: SpawnEffectHost = (_options, { onMessage, onExit }) => {
    const held = new Map<number, string>()
    const exit = (): void => void (hosts.delete(host) && onExit({ code: null, signal: 'SIGKILL' }))
    const host: Host = {
      held,
      endOne: () => {
        const [id] = held.keys()
        held.delete(id!)
        onMessage([{ kind: 'completed', id: id!, data: '{}' }])
      },
      crash: exit,
    }
    hosts.add(host)
    const receive = (message: ToHost): void => {
      if (message.kind === 'load') onMessage([{ kind: 'loaded', bundle: message.bundle }])
      if (message.kind !== 'call') return
      held.set(message.id, message.idempotencyKey)
      onMessage([{ kind: 'beat', left: 0, heard: 1_000 }])
    }
    return { pid: 1, send: (messages) => void setImmediate(() => messages.forEach(receive)), kill: exit }
  }
  const place = { name: 'p', folder: '/p', memoryAdvice: '', fingerprint: () => '', environment: () => ({}) }
  const limits = { ...DEFAULT_EFFECT_HOST_LIMITS, soloHosts: 2 }
  const log = pino({ level: 'silent' })
  const group = createHostGroup(place, { spawn, limits, log, now: () => performance.now() })
  onTestFinished(group.stop)
  const perform = (n: number): void => {
    const call = {
      ...{ executionId: `exe_${n}`, programId: 'p', versionId: 'ver_1', name: 'act', attempt: 1, timeoutMs: 1e6 },
      ...{ idempotencyKey: String(n), data: '{}', signal: new AbortController().signal },
      onLog: ({ message }: EffectLog) => void logs.push(message),
    }
    const bundle = { digest: 'a', load: () => ({ code: '' }) } as never
    group.perform(createAttempt(call, bundle, (outcome) => outcomes.push(outcome)))
  }
  /** How many attempts each host has. */
  const shares = () => [...hosts].map(({ held }) => held.size)
  return { hosts, outcomes, logs, perform, shares }
}

it('lets as many suspects of a crash share a host as have ended without harm', async () => {
  const { hosts, outcomes, logs, perform, shares } = createHeldRig()
  const all = Array.from({ length: 30 }, (_, n) => n)
  const endAll = (): void => [...hosts].forEach(({ held, endOne }) => [...held].forEach(endOne))
  all.forEach(perform)
  await expect.poll(shares).toEqual([30])
  const [shared] = hosts
  shared!.crash()
  expect(outcomes.splice(0)).toEqual(all.map(() => expect.objectContaining({ kind: 'failed', retryable: true })))
  all.forEach(perform)
  await expect.poll(shares).toEqual([1, 1])
  endAll()
  await expect.poll(shares).toEqual([2, 2])
  endAll()
  await expect.poll(shares).toEqual([6, 6])
  expect(logs).toEqual([])
  // One of them is the cause. Nobody knows which, so none fails, and each begins again alone.
  const [first] = hosts
  const interrupted = [...first!.held.values()]
  first!.crash()
  expect([outcomes.length, logs.length]).toEqual([6, 6])
  await expect.poll(shares).toEqual([6, 1])
  const alone: string[] = []
  while (outcomes.length < all.length) {
    await expect.poll(() => shares().some((count) => count > 0)).toBe(true)
    for (const { held, endOne } of hosts) {
      const keys = [...held.values()]
      if (keys.some((key) => interrupted.includes(key))) alone.push(keys.join())
      keys.forEach(endOne)
    }
  }
  expect(alone.toSorted()).toEqual(interrupted.toSorted())
  expect(outcomes.every(({ kind }) => kind === 'completed')).toBe(true)
})
