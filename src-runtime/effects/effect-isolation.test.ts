import { describe, expect, it } from 'vitest'
import { nodeFork } from '../shared/fork.ts'
import { isAlive } from '../shared/is-alive.ts'
import type { EffectHostLimits } from './effect-host-limits.ts'
import { createEffectRig, deployed, until } from './effect-project.test-support.ts'
import { forkEffectHostWith } from './spawn-effect-host.ts'

const BYSTANDER = `export const bystander = (ms) => new Promise((resolve) => setTimeout(resolve, ms, process.pid))
  export const pid = () => process.pid`

describe('one attempt fails, and no other, by', () => {
  it.each([
    ['process.exit', 'process.exit(7)', /^exit in effect "bad": process\.exit\(7\) was called$/],
    ['process.chdir', 'process.chdir("/")', /^process\.chdir\(\) is not available in effects/],
    [
      'an exception in a timer',
      'setTimeout(() => { throw new Error("later") })',
      /^uncaught exception in effect "bad": later$/,
    ],
    [
      'an exception in a tick',
      'process.nextTick(() => { throw new Error("tick") })',
      /^uncaught exception in .*: tick$/,
    ],
    [
      'an event nobody handles',
      'new (await import("node:events")).EventEmitter().emit("error", new Error("emitted"))',
      /^emitted$/,
    ],
    ['a stream that fails', '(await import("node:fs")).createReadStream("none")', /^uncaught exception in .*: ENOENT/],
    [
      'a rejection that nobody handles',
      '(async () => { await 1; throw new TypeError("alone") })()',
      /^unhandled rejection in effect "bad": alone$/,
    ],
    ['a rejection with anything', 'Promise.reject({ a: 1 })', /^unhandled rejection in effect "bad": \{"a":1\}$/],
    [
      'process.exit in a callback',
      'setTimeout(() => process.exit(0))',
      /^exit in effect "bad": process\.exit\(0\) was called$/,
    ],
  ])('%s', async (_what, code, message) => {
    const rig = deployed(`${BYSTANDER}
      export const bad = async () => { ${code}; await new Promise((resolve) => setTimeout(resolve, 1_000)) }`)
    const pid = await rig.result('pid')
    const bystander = rig.result('bystander', 200)
    const outcome = await rig.failure('bad')
    expect(outcome.retryable).toBe(true)
    expect(outcome.error.message).toMatch(message)
    expect(await bystander).toBe(pid)
    expect(await rig.result('pid')).toBe(pid)
  })

  it('keeps name, code and stack of the error', async () => {
    const rig = deployed(`export const bad = () => new Promise(() => {
      setTimeout(function later() { throw Object.assign(new RangeError('far'), { code: 'E_FAR', [Symbol.for('wes.NonRetryableError')]: true }) }) })`)
    const { error, retryable } = await rig.failure('bad')
    expect([retryable, error.name, error.code]).toEqual([false, 'RangeError', 'E_FAR'])
    expect(error.stack).toMatch(/at Timeout\.later.*effects-/)
  })
})

describe('an error outside any attempt', () => {
  it('is logged if it is a rejection', async () => {
    const rig = deployed(`export const leave = () => { setTimeout(() => Promise.reject(new Error('too late')), 50) }
      ${BYSTANDER}`)
    await rig.result('leave')
    const pid = await rig.result('bystander', 100)
    await until(() => rig.lines.some(({ msg }) => msg.includes('too late')))
    expect(rig.lines.find(({ msg }) => msg.includes('too late'))).toMatchObject({ level: 50, folder: rig.folder })
    expect(await rig.result('pid')).toBe(pid)
  })

  it('is logged if it is an exception, and a new process takes over while attempts end in the old one', async () => {
    const rig = deployed(`let othersBegin
      const others = new Promise((resolve) => { othersBegin = resolve })
      export const leave = () => { void others.then(() => setTimeout(() => { throw new Error('too late') }, 50)) }
      export const begin = () => { othersBegin() }
      ${BYSTANDER}`)
    await rig.result('leave')
    const bystander = rig.result('bystander', 5_000)
    await rig.result('begin') // the bystander's attempt began before
    await until(() => rig.lines.some(({ msg }) => msg.includes('too late')))
    const pid = await rig.result('pid')
    expect(await bystander).not.toBe(pid)
    await until(() => rig.hosts.status().length === 1)
  })
})

describe('a process that ends', () => {
  it('fails its attempts, which are retried, each in its own process', async () => {
    const rig = deployed(`export const bad = () => process.kill(process.pid, 'SIGKILL')
      ${BYSTANDER}`)
    const pid = await rig.result('pid')
    const bystanders = [rig.call('bystander', 5_000), rig.call('bystander', 5_000)]
    const outcome = await rig.failure('bad')
    expect(outcome).toMatchObject({ retryable: true, error: { code: 'effect_host_crashed', name: 'EffectError' } })
    expect(outcome.error.message).toMatch(
      /crashed \(signal SIGKILL\) while effect "bad" and 2 other attempts were under way/,
    )
    for (const { outcome: interrupted } of bystanders) {
      expect(await interrupted).toMatchObject({ retryable: true, error: { code: 'effect_host_crashed' } })
    }
    // The second attempts: of the bad one and of a bystander.
    const again = { idempotencyKey: 'exe_2/1', executionId: 'exe_2', attempt: 2 }
    const solo = rig.result('bystander', 300, again)
    const other = rig.result('bystander', 300)
    await until(() => rig.hosts.status().filter(({ underWay }) => underWay === 1).length === 2)
    expect(
      rig.hosts
        .status()
        .map((host) => host.solo)
        .sort(),
    ).toEqual([false, true])
    expect(new Set([pid, await solo, await other]).size).toBe(3)
    // It has proved harmless.
    expect(await rig.result('pid', 1, { ...again, attempt: 3 })).toBe(await other)
  })

  it('reports that it was out of memory', async () => {
    const rig = deployed(
      `const held = []
       export const bad = async () => { for (;;) { held.push(new Array(1e5).fill({})); await 1 } }
       ${BYSTANDER}`,
      { heapMb: 64 },
    )
    const outcome = await rig.failure('bad')
    expect(outcome).toMatchObject({ retryable: true, error: { code: 'effect_host_crashed' } })
    expect(outcome.error.message).toMatch(
      /ran out of memory \(its JavaScript heap is limited to 64 MB; NODE_OPTIONS=.* changes that\) while effect "bad" was under way/,
    )
    expect(await rig.result('bystander', 1)).toEqual(expect.any(Number))
  })

  it('has the heap size of the project’s settings', async () => {
    const rig = deployed(
      'export const heap = async () => (await import("node:v8")).getHeapStatistics().heap_size_limit',
      {
        heapMb: 64,
      },
    )
    rig.write('.env', 'NODE_OPTIONS="--enable-source-maps --max-old-space-size=300"')
    expect(await rig.result('heap')).toBeGreaterThan(300_000_000)
  })

  it('reports that it was out of memory outside the heap', async () => {
    const rig = deployed(
      `const held = []
       export const bad = () => { for (;;) held.push(Buffer.alloc(10_000_000, 1)) }
       ${BYSTANDER}`,
      { memoryMb: 400 },
    )
    const outcome = await rig.failure('bad')
    expect(outcome).toMatchObject({ retryable: true, error: { code: 'effect_host_crashed' } })
    expect(outcome.error.message).toMatch(/ran out of memory \(it uses \d+ MB of memory, more than 400 MB\)/)
    expect(await rig.result('bystander', 1)).toEqual(expect.any(Number))
  })

  it('is told once, and then counted, when an effect ends one after the other', async () => {
    const rig = deployed('export const bad = () => process.abort()')
    for (let n = 0; n < 3; n += 1) await rig.failure('bad')
    const told = (text: string) => rig.lines.filter(({ msg }) => msg.includes(text))
    expect(told('the effect host ended')).toMatchObject([{ effects: ['bad'] }])
    expect(told('Native stack trace')).toHaveLength(1)
  })

  it('before it is ready reports its output once for all waiting attempts', async () => {
    const rig = createEffectRig({ environment: { PATH: process.env['PATH'], NODE_OPTIONS: '--require ./missing.cjs' } })
    rig.deploy('ver_1', 'export const one = () => 1')
    const failures = await Promise.all([rig.failure('one'), rig.failure('one'), rig.failure('one')])
    for (const { error, retryable } of failures) {
      expect([retryable, error.code]).toEqual([true, 'effect_host_crashed'])
      expect(error.message).toMatch(/could not start: exit code 1: .*Cannot find module '\.\/missing\.cjs'/)
    }
    rig.write('missing.cjs', '')
    let outcome = await rig.perform('one')
    while (outcome.kind === 'failed') {
      await new Promise((resolve) => setTimeout(resolve, 100))
      outcome = await rig.perform('one')
    }
    expect(outcome.data).toBe('{"result":1}')
  })

  it('ends the processes that its effects have started, also those of another group, whose parents have ended', async () => {
    const rig = deployed(`import { spawn, spawnSync } from 'node:child_process'
      export const bad = async (_, { log }) => {
        log.info(String(spawn('sleep', ['300']).pid))
        if (process.platform === 'linux') {
          log.info(String(spawn('sleep', ['300'], { detached: true }).pid))
          log.info(String(spawnSync('sh', ['-c', 'sleep 300 >/dev/null 2>&1 & echo $!'], { detached: true }).stdout))
        }
        await 1
        process.abort()
      }`)
    const call = rig.call('bad')
    expect(await call.outcome).toMatchObject({ error: { code: 'effect_host_crashed' } })
    const pids = call.logs.map(({ message }) => Number(message))
    expect(pids.map((pid) => pid > 1)).toEqual(process.platform === 'linux' ? [true, true, true] : [true])
    await until(() => !pids.some(isAlive))
  })

  describe.skipIf(process.platform === 'win32').each([
    // As Electron's utility processes.
    { where: 'where a host leads no process group', makesGroups: false, detached: false },
    // As puppeteer starts a browser.
    { where: 'that lead a group of their own', makesGroups: true, detached: true },
  ])('$where', ({ makesGroups, detached }) => {
    /** The process that the effect started, once the attempt is over. */
    const startedBy = async (body: string, limits: Partial<EffectHostLimits>) => {
      const rig = createEffectRig({ limits, spawnEffectHost: forkEffectHostWith({ ...nodeFork, makesGroups }) })
      rig.deploy(
        'ver_1',
        `import { spawn } from 'node:child_process'
        import { setTimeout as pass } from 'node:timers/promises'
        export const bad = async (_, { log }) => {
          log.info(String(spawn('sh', ['-c', 'sleep 300; true'], { detached: ${detached} }).pid))
          await pass(100)
          ${body}
        }`,
      )
      const call = rig.call('bad', undefined, { timeoutMs: 3_000 })
      expect((await call.outcome).kind).toBe('failed')
      return { rig, pid: Number(call.logs[0]!.message) }
    }

    it('ends them with a host that is killed', async () => {
      const { pid } = await startedBy('for (;;);', { blockedAfterMs: 500 })
      await expect.poll(() => isAlive(pid)).toBe(false)
    })

    it('ends them with a host that stops', async () => {
      const { rig, pid } = await startedBy(`throw new Error('no')`, {})
      expect(isAlive(pid)).toBe(true)
      await rig.hosts.stop()
      await expect.poll(() => isAlive(pid)).toBe(false)
    })

    it('ends them with a host that uses too much memory', async () => {
      const grow = 'for (const kept = []; ; await pass(5)) kept.push(Buffer.alloc(10_000_000, 1))'
      const { pid } = await startedBy(grow, { memoryMb: 400 })
      await expect.poll(() => isAlive(pid)).toBe(false)
    })
  })
})

it('runs effects as before although another one has replaced what is built in', async () => {
  const rig = deployed(`import { setTimeout as pass } from 'node:timers/promises'
    const Own = Promise
    export const replace = () => {
      JSON.parse = JSON.stringify = () => 'not JSON'
      const no = () => { throw new Error('replaced') }
      Object.assign(globalThis, { setTimeout: no, clearTimeout: no, setImmediate: no, Buffer: no, AbortController: no, DOMException: no, Promise: no })
      Object.hasOwn = () => false
    }
    export const echo = async (input, { log }) => { await pass(1); log.info('as before'); return [input] }
    export const wait = (_, { signal }) => new Own((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))`)
  await rig.result('replace')
  const echo = rig.call('echo', { id: 1 })
  expect(await echo.outcome).toEqual({ kind: 'completed', data: '{"result":[{"id":1}]}' })
  expect(echo.logs).toEqual([{ level: 'info', message: 'as before' }])
  expect(await rig.failure('wait', 1, { timeoutMs: 100 })).toMatchObject({ error: { code: 'effect_timeout' } })
  expect(rig.lines).toEqual([])
})

it('ends a process whose own code cannot go on, and says what replaced a part of it', async () => {
  const rig =
    deployed(`export const replace = () => { Map.prototype.delete = function broken() { throw new Error('replaced') } }
    export const echo = (input) => [input]`)
  const { error, retryable } = await rig.failure('replace')
  expect([error.code, retryable]).toEqual(['effect_host_crashed', true])
  expect(error.message).toMatch(
    /an effect or a package has replaced what its process needs: Error: replaced at .*broken/,
  )
  expect(await rig.result('echo', 1)).toEqual([1])
})

it('tells the error, not a frame, with which a process ends that cannot report one', async () => {
  const rig = deployed(`export const replace = () => new Promise(() => {
    String.prototype.split = () => { throw new Error('no splitting') }
    setTimeout(() => { throw new Error('later') })
  })`)
  expect((await rig.failure('replace')).error.message).toMatch(/crashed \(exit code \d\): Error: no splitting while/)
})
