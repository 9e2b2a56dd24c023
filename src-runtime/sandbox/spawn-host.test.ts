import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { ForkedProcess } from '../shared/fork.ts'
import { DEFAULT_POOL_LIMITS } from './pool-limits.ts'
import { spawnAhead } from './spawn-ahead.ts'
import { spawnHostWith } from './spawn-host.ts'

/** A child process that the test controls. */
class ScriptedProcess extends EventEmitter implements ForkedProcess {
  readonly pid = 4711
  readonly connected = true
  readonly exitCode = null
  readonly signalCode = null
  readonly stdout = null
  readonly stderr = null
  kills = 0
  send(): void {}
  unref(): void {}
  kill(): void {
    this.kills++
  }
}

const createRig = () => {
  const runtime = new EventEmitter()
  const child = new ScriptedProcess()
  let started = 0
  const fork = {
    makesGroups: false,
    takesPermissions: true,
    start: () => {
      started++
      return child
    },
  }
  return { child, runtime, spawnHost: spawnHostWith(fork, runtime), starts: () => started }
}

const { budgets } = DEFAULT_POOL_LIMITS

test('messages sent before there is a listener are delivered in order', async () => {
  const { child, spawnHost } = createRig()
  const host = spawnHost('shared', budgets)
  child.emit('message', 'first')
  child.emit('message', 'second')
  const heard: unknown[] = []
  host.onMessage((message) => heard.push(message))
  await Promise.resolve()
  child.emit('message', 'third')
  expect(heard).toEqual(['first', 'second', 'third'])
})

test('an exit before there is a listener is reported once', async () => {
  const { child, spawnHost } = createRig()
  const host = spawnHost('shared', budgets)
  child.emit('exit', null, 'SIGKILL')
  const ends: string[] = []
  host.onExit((reason) => ends.push(reason))
  await Promise.resolve()
  child.emit('error', new Error('late'))
  expect(ends).toEqual(['SIGKILL'])
})

test('a host is killed when the runtime exits, as its Program may never poll', () => {
  const { child, runtime, spawnHost } = createRig()
  spawnHost('shared', budgets)
  runtime.emit('exit', 0)
  expect(child.kills).toBe(1)
  child.emit('exit', null, 'SIGKILL')
  expect(runtime.listenerCount('exit')).toBe(0)
})

test('a host that the system refuses to start ends with the reason, after its caller has gone on', async () => {
  const spawnHost = spawnHostWith({
    makesGroups: false,
    takesPermissions: true,
    start: () => {
      throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' })
    },
  })
  const host = spawnHost('shared', budgets)
  const ends: string[] = []
  host.onExit((reason) => ends.push(reason))
  host.send({ kind: 'forget', executionIds: [] })
  host.kill()
  expect(ends).toEqual([])
  await Promise.resolve()
  expect(ends).toEqual(['spawn ENOMEM'])
})

test('a host that was started ahead is used once, and only for its role', () => {
  const { spawnHost, starts } = createRig()
  const ahead = spawnAhead(spawnHost)
  expect(starts()).toBe(1)
  ahead.spawnHost('alone', budgets)
  expect(starts()).toBe(2)
  ahead.spawnHost('shared', budgets)
  expect(starts()).toBe(2)
  ahead.spawnHost('shared', budgets)
  expect(starts()).toBe(3)
})

test('a host that was started ahead ends if it is not used', () => {
  const vain = createRig()
  const unused = spawnAhead(vain.spawnHost)
  unused.giveUp()
  unused.giveUp()
  expect(vain.child.kills).toBe(1)
  const given = createRig()
  const used = spawnAhead(given.spawnHost)
  used.spawnHost('shared', budgets)
  used.giveUp()
  expect(given.child.kills).toBe(0)
})
