import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { createAttempt } from './attempt.ts'
import { DEFAULT_EFFECT_HOST_LIMITS } from './effect-host-limits.ts'
import { createHostGroup } from './host-group.ts'
import type { SpawnEffectHost } from './spawn-effect-host.ts'

/** Its hosts have read one module, and their attempts do not end. */
const createRig = () => {
  const module = { stamp: 'a', looks: 0, msToLook: 0 }
  let time = 0
  let hosts = 0
  const spawn: SpawnEffectHost = (_options, { onMessage, onExit }) => {
    hosts += 1
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
  const performAfter = (ms: number): number => {
    time += ms
    const call = {
      ...{ executionId: `exe_${time}`, programId: `p${time}`, versionId: 'ver_1', name: 'act', attempt: 1 },
      ...{ timeoutMs: 1_000_000_000, idempotencyKey: 'k', data: '{}', signal: new AbortController().signal },
      onLog: () => {},
    }
    group.perform(createAttempt(call, { digest: 'a', load: () => ({ code: '' }) } as never, () => {}))
    return hosts
  }
  return { module, performAfter }
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
