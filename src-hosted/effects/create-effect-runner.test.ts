import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { StoreUnavailableError } from '../../src-runtime/shared/store-errors.ts'
import { within } from '../../src-runtime/shared/within.ts'
import { createEffectRunner } from './create-effect-runner.ts'
import type { LoadVersion } from './effect-runner.ts'
import { startRunnerRig, type RigSettings, type RunnerRig } from './effect-runner.test-support.ts'
import { makeRunnerFolder } from './runner-folder.ts'

const rigWith = async (code: string, settings: Partial<RigSettings> = {}): Promise<RunnerRig> => {
  const { limits, ...rest } = settings
  const rig = await startRunnerRig({ limits: { drainMs: 100, ...limits }, ...rest })
  onTestFinished(() => rig.runner.drain())
  expect(rig.runner.waitsBecause).toBeUndefined()
  rig.deploy('ver_1', code)
  return rig
}

const listen = async (server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

describe('isolated effects', () => {
  it('get their input and context, log, and return', async () => {
    const rig = await rigWith(`
      export const whole = async (input, { executionId, attempt, idempotencyKey, log }) => {
        log.info('began', input)
        console.log('printed')
        return [input, executionId, attempt, idempotencyKey]
      }`)
    const { outcome, logs } = rig.call('whole', { a: 1 })
    expect(await outcome).toEqual({ kind: 'completed', data: '{"result":[{"a":1},"exe_1",1,"exe_1/1"]}' })
    expect(logs).toEqual([
      { level: 'info', message: 'began { a: 1 }' },
      { level: 'info', message: 'printed' },
    ])
  })

  it('get all characters, of their input and of the environment', async () => {
    const rig = await rigWith(`export const both = async (input) => [input, process.env.TEXT]`)
    const text = 'a\u2028b\u2029c\r\nd\u0085e\u000bf\u000cg'
    rig.environment['TEXT'] = text
    expect(await rig.result('both', text)).toEqual([text, text])
  })

  it('print nothing to the log of the service, which others read than their authors', async () => {
    const rig = await rigWith('')
    rig.environment['TEXT'] = 'a secret'
    rig.deploy(
      'ver_1',
      `import { writeSync } from 'node:fs'
      console.error('read with', process.env.TEXT)
      writeSync(3, JSON.stringify({ kind: 'blocked', stack: process.env.TEXT }) + String.fromCharCode(10))
      process.stdout.write(process.env.TEXT + String.fromCharCode(10))
      const stray = new Promise((_, reject) => setTimeout(reject, 1, new Error('stray ' + process.env.TEXT)))
      export const later = () => new Promise((resolve) => setTimeout(resolve, 50, 'done'))`,
    )
    expect(await rig.result('later')).toBe('done')
    for (const text of ['outside of any attempt', 'blocks its process']) {
      await vi.waitUntil(() => rig.lines.some(({ msg }) => msg.includes(text)))
    }
    expect(JSON.stringify(rig.lines)).not.toContain('a secret')
  })

  it('end in time behind all that many of them log at once', async () => {
    const rig = await rigWith(`
      export const atOnce = async (_, { log }) => { for (let n = 0; n < 50_000; n += 1) log.info('line ' + n) }
      export const bit = async (_, { log }) => {
        for (let n = 0; n < 1_000; n += 1) {
          log.info('line ' + n)
          await new Promise(setImmediate)
        }
      }`)
    for (const [name, last] of [
      ['atOnce', '49000 more log entries were dropped'],
      ['bit', 'line 999'],
    ] as const) {
      // As separate messages, which are limited, these lines would take 6 s.
      const calls = Array.from({ length: 60 }, () => rig.call(name, undefined, { timeoutMs: 4_000 }))
      for (const { outcome, logs } of calls) {
        expect(await outcome).toEqual({ kind: 'completed', data: '{}' })
        expect([logs[0]!.message, logs[999]!.message, logs.at(-1)!.message]).toEqual(['line 0', 'line 999', last])
      }
    }
  })

  it('are all functions that their module exports if the manifest does not list them', async () => {
    const rig = await rigWith('export const one = async () => 1')
    rig.deploy('ver_2', 'export const one = async () => 1\nexport const two = 2', { effects: undefined })
    expect(await rig.result('one', null, { versionId: 'ver_2' })).toBe(1)
    for (const name of ['two', 'three']) {
      expect(await rig.failure(name, null, { versionId: 'ver_2' })).toMatchObject({
        retryable: false,
        error: { code: 'effect_not_found', message: `the effects of this version export no function "${name}"` },
      })
    }
  })

  it('share a process per version, and no other', async () => {
    const rig = await rigWith(
      'globalThis.loads = (globalThis.loads ?? 0) + 1; export const count = async () => (globalThis.calls = (globalThis.calls ?? 0) + 1)',
    )
    rig.deploy('ver_2', 'export const count = async () => (globalThis.calls = (globalThis.calls ?? 0) + 1)')
    expect([await rig.result('count'), await rig.result('count')]).toEqual([1, 2])
    expect(await rig.result('count', null, { versionId: 'ver_2' })).toBe(1)
  })

  it('have a folder for files, the environment of their project and nothing else, and changes of it', async () => {
    const code = `import { existsSync } from 'node:fs'
      export const all = async () => process.env
      export const seen = async () => ['/tmp', '/etc/passwd', '/none'].map((path) => existsSync(path))`
    const rig = await rigWith(code, { limits: { environmentMs: 0 } })
    expect(await rig.result('seen')).toEqual([true, false, false])
    rig.environment['KEY'] = 'secret'
    expect(await rig.result('all')).toEqual({ KEY: 'secret' })
    rig.environment['KEY'] = 'rotated'
    expect(await rig.result('all')).toEqual({ KEY: 'rotated' })
  })

  it('have what was set while their data was read', async () => {
    const rig = await rigWith('export const key = async () => process.env.KEY', { limits: { environmentMs: 0 } })
    rig.environment['KEY'] = 'before'
    const readData = () => {
      rig.environment['KEY'] = 'after'
      return Promise.resolve('{}')
    }
    expect(await rig.result('key', undefined, { readData })).toBe('after')
  })

  it('have what was set while they waited for a process', async () => {
    const environment = { KEY: 'before' }
    const environmentOf = vi.fn(() => Promise.resolve({ ...environment }))
    const rig = await rigWith(
      `export const hold = (_, { log, signal }) => {
      log.info('began')
      return new Promise((resolve) => signal.addEventListener('abort', resolve))
    }`,
      { limits: { hosts: 1, hostsPerWorkspace: 1, environmentMs: 10 }, environmentOf },
    )
    rig.deploy('ver_2', 'export const key = async () => process.env.KEY')
    const first = rig.call('hold')
    await vi.waitUntil(() => first.logs.length > 0)
    environmentOf.mockClear()
    const second = rig.result('key', null, { versionId: 'ver_2' })
    await vi.waitUntil(() => environmentOf.mock.calls.length > 0)
    await wait(20)
    environment.KEY = 'after'
    environmentOf.mockClear()
    await vi.waitUntil(() => environmentOf.mock.calls.length > 0)
    first.cancel()
    expect(await second).toBe('after')
  })

  it('wait while their environment cannot be read, and use up no attempt', async () => {
    const limits = { environmentMs: 0, readAgainMs: 10 }
    const faults: Error[] = [
      new Error('A secret is sealed with key k2'),
      new StoreUnavailableError('PostgreSQL is away'),
    ]
    const environmentOf = () => {
      const fault = faults.pop()
      return fault === undefined ? Promise.resolve({ KEY: 'secret' }) : Promise.reject(fault)
    }
    const rig = await rigWith('export const key = async () => process.env.KEY', {
      limits,
      environmentOf,
    })
    const readData = vi.fn(() => Promise.resolve('{}'))
    const { outcome, logs } = rig.call('key', undefined, { readData })
    expect(await outcome).toEqual({ kind: 'completed', data: '{"result":"secret"}' })
    expect(logs).toEqual([{ level: 'warn', message: 'The effect key waits: its environment cannot be read.' }])
    expect(readData).toHaveBeenCalledOnce()
    // Only the second is for the operator to mend here: of PostgreSQL, every part of the process says that it is tried again.
    expect(rig.lines.filter(({ level }) => level >= 40).map(({ level, msg }) => [level, msg])).toEqual([
      [40, 'reading what effects need failed; it is tried again'],
      [50, 'effects wait: what they need cannot be read'],
    ])
  })

  it('are not under way while they wait for their version', async () => {
    const rig = await rigWith('', {
      limits: { readAgainMs: 60_000 },
      loadVersion: () => Promise.reject(new StoreUnavailableError('PostgreSQL is away')),
    })
    const notes: boolean[] = []
    const noteUnderWay = (isUnderWay: boolean) => Promise.resolve(void notes.push(isUnderWay))
    const { outcome, cancel } = rig.call('key', undefined, { noteUnderWay })
    await vi.waitUntil(() => rig.lines.some(({ level }) => level === 40))
    expect(notes).toEqual([true, false])
    cancel()
    expect(await outcome).toMatchObject({ error: { code: 'cancelled' } })
    expect(notes).toEqual([true, false])
  })

  it('are cancelled while they wait for their environment, and do not hold up a drain', async () => {
    const rig = await rigWith('export const key = async () => process.env.KEY', {
      limits: { drainMs: 60_000, readAgainMs: 60_000 },
      environmentOf: () => Promise.reject(new Error('A secret is sealed with key k2')),
    })
    const [cancelled, left] = [rig.call('key'), rig.call('key')]
    await vi.waitUntil(() => cancelled.logs.length === 1 && left.logs.length === 1)
    cancelled.cancel()
    expect(await cancelled.outcome).toMatchObject({ error: { code: 'cancelled' } })
    await rig.runner.drain()
    expect(await within(50, left.outcome)).toBeUndefined()
  })

  it('fail as the local ones do', async () => {
    const rig = await rigWith(`
      import { Buffer } from 'node:buffer'
      export const broken = async () => { throw Object.assign(new TypeError('no'), { code: 'E_NO' }) }
      export const slow = (_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      export const endless = () => { for (;;) ; }
      export const crash = () => process.abort()
      export const circle = async () => { const a = {}; a.a = a; return a }`)
    expect(await rig.failure('broken')).toMatchObject({
      retryable: true,
      error: { code: 'E_NO', name: 'TypeError', message: 'no' },
    })
    expect(await rig.failure('slow', null, { timeoutMs: 50 })).toMatchObject({ error: { code: 'effect_timeout' } })
    expect(await rig.failure('circle')).toMatchObject({ retryable: false, error: { code: 'invalid_result' } })
    expect(await rig.failure('missing')).toMatchObject({ error: { code: 'effect_not_found' } })
    expect(await rig.failure('crash')).toMatchObject({ error: { code: 'effect_host_crashed' } })
    expect(await rig.failure('endless', null, { timeoutMs: 100 })).toMatchObject({ error: { code: 'effect_timeout' } })
    await expect.poll(() => rig.failure('broken')).toMatchObject({ error: { code: 'E_NO' } })
  })

  it.each([
    ['the heap', `for (const all = []; ; ) all.push(new Array(1_000_000).fill(7))`],
    ['memory beside it', `JSON.parse('['.repeat(5e6) + ']'.repeat(5e6))`],
  ])('that use up %s fail with an error that says so, and the log says it of their process', async (_what, code) => {
    const rig = await rigWith(`export const greedy = async () => { ${code} }`)
    const how =
      'the effect host ran out of memory (its JavaScript heap is limited to 256 MB, all of its memory to 512 MB)'
    const message = `${how} while effect "greedy" was under way`
    expect(await rig.failure('greedy')).toMatchObject({ error: { code: 'effect_host_crashed', message } })
    expect(rig.lines).toContainEqual(expect.objectContaining({ msg: how, effects: ['greedy'] }))
  })

  it('run alone once one of them has blocked the others, until the one that blocks is found', async () => {
    const rig = await rigWith(
      `export const endless = () => { for (;;) ; }
       export const patient = () => new Promise((resolve) => setTimeout(resolve, 200, 'done'))`,
      { limits: { blockedAfterMs: 300, blockedAmongOthersMs: 600 } },
    )
    const patient = rig.call('patient')
    const endless = rig.failure('endless', null, { timeoutMs: 3_000 })
    expect(await patient.outcome).toMatchObject({ kind: 'completed' })
    expect(patient.logs).toEqual([{ level: 'warn', message: expect.stringContaining('one of its effects blocked it') }])
    expect(await endless).toMatchObject({ error: { code: 'effect_timeout' } })
  })

  it('are cancelled', async () => {
    const rig = await rigWith(
      `export const wait = (_, { signal, log }) => new Promise((_, reject) => { log.info('here'); signal.addEventListener('abort', () => reject(signal.reason)) })`,
    )
    const call = rig.call('wait')
    await vi.waitUntil(() => call.logs.length === 1)
    call.cancel()
    expect(await call.outcome).toMatchObject({ kind: 'failed', error: { code: 'cancelled' } })
  })

  it('leave no process behind, and have no outcome when they did not complete', async () => {
    const rig = await rigWith(`export const wait = (_, { log }) => new Promise(() => log.info('here'))`)
    const call = rig.call('wait')
    await vi.waitUntil(() => call.logs.length === 1)
    await rig.runner.drain()
    const outcome = await Promise.race([call.outcome, Promise.resolve('none')])
    expect(outcome).toBe('none')
  })

  it('may end by themselves while the runner drains', async () => {
    const rig = await rigWith(
      `export const soon = (_, { log }) => new Promise((resolve) => { log.info('here'); setTimeout(resolve, 200, 'done') })`,
      { limits: { drainMs: 10_000 } },
    )
    const call = rig.call('soon')
    await vi.waitUntil(() => call.logs.length === 1)
    await rig.runner.drain()
    expect(await call.outcome).toEqual({ kind: 'completed', data: '{"result":"done"}' })
  })

  it('wait for a process, within bounds, and none waits for ever', async () => {
    const rig = await rigWith('export const one = async () => 1', { limits: { hosts: 2, hostsPerWorkspace: 1 } })
    const versions = ['a', 'b', 'c', 'd', 'e'].map((name) => `ver_${name}`)
    for (const [index, versionId] of versions.entries()) {
      rig.deploy(versionId, `export const one = async () => '${versionId}'`, { workspaceId: `wsp_${index % 3}` })
    }
    const results = await Promise.all(versions.map((versionId) => rig.result('one', null, { versionId })))
    expect(results).toEqual(versions)
  })

  it('get a process although those of other versions of their workspace are never without work', async () => {
    const rig = await rigWith(
      'export const busy = (until) => new Promise((resolve) => setTimeout(resolve, until, 1))',
      { limits: { hosts: 4, hostsPerWorkspace: 1, idleMs: 600_000 } },
    )
    rig.deploy('ver_2', 'export const one = async () => 2')
    let isOver = false
    const keepBusy = async () => {
      while (!isOver) await rig.result('busy', 50)
    }
    const busy = [keepBusy(), rig.result('busy', 25).then(keepBusy)]
    await rig.result('busy', 0)
    expect(await rig.result('one', null, { versionId: 'ver_2' })).toBe(2)
    expect(await rig.result('busy', 0)).toBe(1)
    isOver = true
    await Promise.all(busy)
  })

  it('get a process beside one with an endless attempt, whose other attempts go on', async () => {
    const rig = await rigWith(
      'export const busy = (until) => new Promise((resolve) => setTimeout(resolve, until, 1)); export const waits = () => new Promise(() => {})',
      { limits: { hosts: 8, hostsPerWorkspace: 2, idleMs: 600_000 } },
    )
    rig.deploy('ver_2', 'export const busy = (until) => new Promise((resolve) => setTimeout(resolve, until, 1))')
    rig.deploy('ver_3', 'export const one = async () => 3')
    let isOver = false
    const keepBusy = async (versionId: string, offset: number) => {
      await rig.result('busy', offset, { versionId })
      while (!isOver) await rig.result('busy', 50, { versionId })
    }
    const endless = rig.call('waits')
    const busy = [0, 25].flatMap((offset) => ['ver_1', 'ver_2'].map((versionId) => keepBusy(versionId, offset)))
    await rig.result('busy', 0, { versionId: 'ver_2' })
    expect(await rig.result('one', null, { versionId: 'ver_3' })).toBe(3)
    expect(await rig.result('busy', 0)).toBe(1)
    expect(await rig.result('busy', 0, { versionId: 'ver_2' })).toBe(1)
    isOver = true
    await Promise.all(busy)
    endless.cancel()
  })

  it('get the process of a version again that made way, once nobody waits for it', async () => {
    let ahead = 0
    const rig = await rigWith('export const one = async () => 1; export const waits = () => new Promise(() => {})', {
      limits: { hosts: 2, hostsPerWorkspace: 1, idleMs: 600_000 },
      now: () => performance.now() + ahead,
    })
    rig.deploy('ver_2', 'export const one = async () => 2')
    const endless = rig.call('waits', null, { timeoutMs: 3_600_000 })
    expect(await rig.result('one')).toBe(1)
    const stranger = rig.call('one', null, { versionId: 'ver_2' })
    await wait(500)
    ahead = 100_000
    await wait(3_000)
    const late = rig.result('one')
    stranger.cancel()
    expect(await late).toBe(1)
    endless.cancel()
  })

  it('run only so many at once in a workspace', async () => {
    const rig = await rigWith(
      `let now = 0, most = 0
       export const load = async () => { now += 1; most = Math.max(most, now); await new Promise((r) => setTimeout(r, 20)); now -= 1; return most }`,
      { effectsAtOnce: () => 2 },
    )
    const most = await Promise.all(Array.from({ length: 8 }, () => rig.result('load')))
    expect(Math.max(...(most as number[]))).toBe(2)
  })

  it('says that an attempt begins once its workspace has a place for it', async () => {
    const rig = await rigWith(`export const waits = () => new Promise(() => {}); export const ends = () => 1`, {
      effectsAtOnce: () => 1,
    })
    const begins: string[] = []
    const notes = (name: string) => ({
      noteUnderWay: (isUnderWay: boolean) => Promise.resolve(void (isUnderWay && begins.push(name))),
    })
    await rig.result('ends')
    const first = rig.call('waits', undefined, notes('waits'))
    const second = rig.call('ends', undefined, notes('ends'))
    await expect.poll(() => begins).toEqual(['waits'])
    first.cancel()
    await second.outcome
    expect(begins).toEqual(['waits', 'ends'])
  })

  it('says that an attempt begins once a process takes it', async () => {
    const rig = await rigWith(
      `export const waits = (_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
       export const ends = () => 1`,
      { limits: { concurrency: 1 } },
    )
    rig.deploy('ver_2', 'export const ends = () => 2')
    const begins: string[] = []
    const notes = (name: string) => ({
      noteUnderWay: (isUnderWay: boolean) => Promise.resolve(void begins.push(isUnderWay ? name : `not ${name}`)),
    })
    await rig.result('ends')
    const first = rig.call('waits', undefined, notes('waits'))
    await expect.poll(() => begins).toEqual(['waits'])
    const second = rig.call('ends', undefined, notes('ends'))
    // It comes later than the second, and has ended in a process of its own.
    expect(await rig.result('ends', undefined, { versionId: 'ver_2' })).toBe(2)
    expect(begins).toEqual(['waits'])
    first.cancel()
    await second.outcome
    expect(begins).toEqual(['waits', 'ends'])
  })

  it('begins an attempt once it is stored that it does', async () => {
    const rig = await rigWith('export const logs = (_, { log }) => log.info("here")')
    await rig.result('logs')
    const happened: string[] = []
    const stored = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 100))
      happened.push('stored')
    }
    const onLog = (): void => void happened.push('runs')
    await rig.result('logs', undefined, { noteUnderWay: stored, onLog })
    expect(happened).toEqual(['stored', 'runs'])
  })

  it('says that an attempt is under way while its version is read, and not while it waits after that', async () => {
    const read = Promise.withResolvers<void>()
    const happened: string[] = []
    const loadVersion: LoadVersion = async () => {
      happened.push('read')
      await read.promise
      const effects = [{ name: 'one', options: {} }]
      const code = 'export const one = async () => 1'
      return { workspaceId: 'wsp_1', projectId: 'prj_1', name: 'order version 1', code, effects }
    }
    const rig = await rigWith('', { loadVersion })
    const noteUnderWay = (isUnderWay: boolean) =>
      Promise.resolve(void happened.push(isUnderWay ? 'under way' : 'waits'))
    const one = rig.result('one', undefined, { noteUnderWay })
    await expect.poll(() => happened).toEqual(['under way', 'read'])
    read.resolve()
    expect(await one).toBe(1)
    expect(happened).toEqual(['under way', 'read', 'waits', 'under way'])
    expect(await rig.result('one', undefined, { noteUnderWay })).toBe(1)
    expect(happened.slice(4)).toEqual(['under way'])
  })
})

describe('connections of isolated effects', () => {
  it('reach what is allowed: HTTP, plain sockets, names', async () => {
    const port = await listen(
      createHttpServer((request, response) => response.end(`${request.method} ${request.headers.host}`)),
    )
    const greeting = await listen(createServer((socket) => socket.end('220 ready')))
    const answering = await listen(
      createServer({ allowHalfOpen: true }, (socket) => {
        let text = ''
        socket.on('data', (bytes) => (text += String(bytes))).on('end', () => socket.end(`got ${text}`))
      }),
    )
    const rig = await rigWith(
      `import net from 'node:net'; import http from 'node:http'; import dns from 'node:dns'
       export const fetched = async (port) => (await fetch('http://127.0.0.1:' + port)).text()
       export const got = (port) => new Promise((resolve, reject) => http.get({ host: 'localhost', port }, (r) => { let t = ''; r.on('data', (d) => t += d).on('end', () => resolve(t)) }).on('error', reject))
       export const greeted = (port) => new Promise((resolve, reject) => { let t = ''; net.connect(port, '127.0.0.1').setEncoding('utf8').on('data', (d) => t += d).on('end', () => resolve(t)).on('error', reject) })
       export const twice = (port) => new Promise((resolve, reject) => {
         const socket = new net.Socket()
         const texts = ['']
         socket.setEncoding('utf8').on('data', (text) => { texts[texts.length - 1] += text }).on('error', reject).on('close', () => {
           if (texts.push('') > 2) resolve(texts)
           else socket.connect(port, '127.0.0.1')
         })
         socket.connect(port, '127.0.0.1')
       })
       export const asked = (port) => new Promise((resolve, reject) => { let t = ''; const socket = net.connect(port, '127.0.0.1'); socket.setEncoding('utf8').on('data', (d) => t += d).on('end', () => resolve(t)).on('error', reject); socket.write('all'); socket.end(' of it') })
       export const looked = () => dns.promises.lookup('localhost', { family: 4 })`,
      { allowEgress: '127.0.0.0/8,::1' },
    )
    expect(await rig.result('fetched', port)).toBe(`GET 127.0.0.1:${port}`)
    expect(await rig.result('got', port)).toBe(`GET localhost:${port}`)
    expect(await rig.result('greeted', greeting)).toBe('220 ready')
    expect(await rig.result('asked', answering)).toBe('got all of it')
    expect(await rig.result('twice', greeting)).toEqual(['220 ready', '220 ready', ''])
    expect(await rig.result('looked')).toEqual({ address: '127.0.0.1', family: 4 })
  })

  it('say why they were refused or failed', async () => {
    const rig = await rigWith(
      `import net from 'node:net'
       export const connect = (options) => new Promise((resolve, reject) => net.connect(options).on('connect', resolve).on('error', reject))`,
      { allowEgress: '127.0.0.2', ownServices: ['postgresql://wes@127.0.0.2/wes'] },
    )
    expect(await rig.failure('connect', { host: '127.0.0.1', port: 80 })).toMatchObject({
      error: { code: 'EACCES', message: 'effects may not connect to 127.0.0.1: it is a loopback address' },
    })
    const message = 'effects may not connect to 127.0.0.2: it is an address of this service, which closes port 5432'
    expect(await rig.failure('connect', { host: '127.0.0.2', port: 5432 })).toMatchObject({
      error: { code: 'EACCES', message },
    })
    expect(await rig.failure('connect', { host: '127.0.0.2', port: 1 })).toMatchObject({
      error: { code: 'ECONNREFUSED' },
    })
  })
})

const runWithWayOut = async (open: () => Promise<void>) => {
  const { path, remove } = await makeRunnerFolder()
  onTestFinished(remove)
  const effects = [{ name: 'one', options: {} }]
  const runner = createEffectRunner({
    loadVersion: async () => ({ workspaceId: 'wsp_1', projectId: 'prj_1', name: 'order version 1', code: '', effects }),
    environmentOf: async () => ({}),
    isolation: { kind: 'unsafe' },
    egress: { open, close: async () => {} },
    folder: path,
    log: pino({ level: 'silent' }),
    limits: { drainMs: 100 },
  })
  onTestFinished(runner.drain)
  const caller = new AbortController()
  const outcome = runner.perform({
    ...{ executionId: 'exe_1', programId: 'order', versionId: 'ver_1', name: 'one', attempt: 1, data: '{}' },
    ...{ idempotencyKey: 'exe_1/1', timeoutMs: 20_000, signal: caller.signal, onLog: () => {} },
  })
  return { path, caller, outcome: within(5_000, outcome) }
}

it('cancels effects that wait for a way out, such as one that cannot be opened', async () => {
  const { caller, outcome } = await runWithWayOut(() => new Promise(() => undefined))
  setTimeout(() => caller.abort(), 50)
  expect(await outcome).toMatchObject({ error: { code: 'cancelled' } })
})

it('leaves no folder behind of a way out that could not be opened', async () => {
  const { path, outcome } = await runWithWayOut(() => Promise.reject(new Error('no more sockets')))
  expect(await outcome).toMatchObject({ error: { message: expect.stringContaining('no more sockets') } })
  expect(readdirSync(path)).toEqual(['alive.sock'])
})

describe('effects that cannot be isolated', () => {
  it('wait, and say why', async () => {
    const rig = await startRunnerRig({
      isolationOf: () => Promise.resolve({ kind: 'missing', reason: 'no namespaces here' }),
    })
    onTestFinished(() => rig.runner.drain())
    rig.deploy('ver_1', 'export const one = async () => 1')
    const call = rig.call('one')
    await vi.waitUntil(() => call.logs.length === 1)
    expect(call.logs[0]!.message).toContain('waits: the worker cannot isolate effects: no namespaces here')
    expect(rig.runner.waitsBecause).toBe('no namespaces here')
    call.cancel()
    expect(await call.outcome).toMatchObject({ error: { code: 'cancelled' } })
  })

  it('are cancelled while their version is being read', async () => {
    const read = Promise.withResolvers<void>()
    const rig = await startRunnerRig({
      isolationOf: () => Promise.resolve({ kind: 'missing', reason: 'no namespaces here' }),
      limits: { drainMs: 100 },
      loadVersion: async () => {
        await read.promise
        const effects = [{ name: 'one', options: {} }]
        return { workspaceId: 'wsp_1', projectId: 'prj_1', name: 'order version 1', code: '', effects }
      },
    })
    onTestFinished(() => rig.runner.drain())
    const call = rig.call('one')
    call.cancel()
    read.resolve()
    expect(await within(5_000, call.outcome)).toMatchObject({ error: { code: 'cancelled' } })
  })

  it('run as ordinary processes when that is asked for', async () => {
    const rig = await startRunnerRig({
      unsafe: true,
      isolationOf: () => Promise.resolve({ kind: 'missing', reason: 'no namespaces here' }),
    })
    onTestFinished(() => rig.runner.drain())
    rig.deploy('ver_1', 'export const one = async () => 1')
    expect(rig.runner.waitsBecause).toBeUndefined()
    expect(await rig.result('one')).toBe(1)
  })
})
