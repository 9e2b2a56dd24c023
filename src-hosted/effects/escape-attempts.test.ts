// What effects of the hosted service try in order to get out, and what comes of it. Each attempt is made twice: behind both
// fences, and with Node's permissions taken away, so that the namespaces alone hold.

import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startRunnerRig, type RigSettings, type RunnerRig } from './effect-runner.test-support.ts'

const CODE = `
import { spawn, spawnSync, fork } from 'node:child_process'
import dgram from 'node:dgram'
import dns from 'node:dns'
import fs from 'node:fs'
import inspector from 'node:inspector'
import net from 'node:net'
import os from 'node:os'
import v8 from 'node:v8'
import { Worker } from 'node:worker_threads'
import { WASI } from 'node:wasi'

const tried = async (work) => {
  try { return { done: await work() } } catch (error) { return { error: String(error.code ?? error.message) } }
}
const over = (emitter, good, bad = 'error') => new Promise((resolve, reject) => emitter.once(good, resolve).once(bad, reject))

const attempts = {
  readFile: (path) => fs.readFileSync(path, 'utf8').length,
  list: (path) => fs.readdirSync(path).sort(),
  write: (path) => fs.writeFileSync(path, 'x'),
  fillTmp: () => { for (let i = 0; ; i += 1) fs.writeFileSync('/tmp/' + i, Buffer.alloc(10e6)) },
  openNode: () => fs.openSync('/bin/node', 'r+'),
  link: (path) => { fs.symlinkSync(path, '/tmp/link'); return fs.readFileSync('/tmp/link', 'utf8').length },
  environment: () => Object.keys(process.env),
  ownStart: () => fs.readFileSync('/proc/1/environ', 'utf8').split('\\0').map((one) => one.split('=')[0]).sort(),
  parentEnvironment: () => fs.readFileSync('/proc/' + process.ppid + '/environ', 'utf8').length,
  processes: () => fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)),
  memoryOf: (pid) => fs.openSync('/proc/' + pid + '/mem', 'r+'),
  signal: (pid) => process.kill(pid, 'SIGKILL'),
  capabilities: () => fs.readFileSync('/proc/self/status', 'utf8').match(/Cap(Prm|Eff|Inh|Amb):\\s+(\\S+)|NoNewPrivs:\\s+1/g),
  connect: async ({ host, port }) => { const socket = net.connect({ host, port }); await over(socket, 'connect'); socket.destroy() },
  fetch: async (url) => (await fetch(url)).status,
  usualConnect: ({ host, port }) => new Promise((resolve, reject) => {
    const { connect } = new net.Socket().constructor.prototype
    const socket = new net.Socket({ handle: undefined })
    connect.call(socket, { host, port }); socket.once('connect', resolve).once('error', reject)
  }),
  urgency: () => ({ own: os.getPriority(), group: Number(/nice (-?\\d+)/.exec(fs.readFileSync('/proc/self/autogroup', 'utf8'))?.[1]) }),
  interfaces: () => Object.keys(os.networkInterfaces()),
  udp: () => dgram.createSocket('udp4'),
  resolve: () => dns.promises.resolve4('example.com'),
  spawn: (program) => { const { error, status } = spawnSync(program, ['-e', '0']); if (error) throw error; return status },
  unshare: () => { const { error, status } = spawnSync('/bin/unshare', ['--user', '/bin/node', '-v']); if (error) throw error; if (status !== 0) throw new Error('failed'); return status },
  nodeOptions: () => {
    process.env.NODE_OPTIONS = '--allow-addons'
    const { error, stderr } = spawnSync('/bin/node', ['-e', 'fs.readFileSync("/etc/shadow")'], { env: { NODE_OPTIONS: '--no-warnings' } })
    if (error) throw error
    throw new Error(/ENOENT/.exec(String(stderr))?.[0] ?? 'other')
  },
  forkBomb: async () => {
    let started = 0
    const children = []
    for (let i = 0; i < 200; i += 1) {
      const child = spawn('/bin/node', ['-e', 'setTimeout(() => {}, 5000)'])
      children.push(child)
      if (await Promise.race([over(child, 'spawn').then(() => true), over(child, 'error', 'never').then(() => false)])) started += 1
      else break
    }
    for (const child of children) child.kill('SIGKILL')
    if (started === 200) return started
    throw new Error('EAGAIN')
  },
  thread: () => over(new Worker('require("node:fs").readFileSync("/etc/shadow")', { eval: true }), 'exit'),
  addon: () => process.dlopen({ exports: {} }, '/lib/x86_64-linux-gnu/libc.so.6'),
  wasi: () => new WASI({ version: 'preview1', preopens: { '/': '/' } }).wasiImport.path_open !== undefined,
  inspector: () => { inspector.open(0); return inspector.url() },
  debugger: () => process.kill(process.pid, 'SIGUSR1'),
  binding: () => Object.keys(process.binding('spawn_sync')).length,
  snapshot: () => v8.writeHeapSnapshot('/tmp/../escaped.heapsnapshot'),
}
export const attempt = async ({ name, input }) => tried(() => attempts[name](input))
export const eat = () => { const all = []; for (;;) all.push(Buffer.alloc(20e6, 1)) }
export const eatHeap = () => { const all = []; for (;;) all.push(new Array(1e5).fill(0).map((_, i) => ({ i }))) }
export const lie = () => { fs.writeSync(3, JSON.stringify({ kind: 'completed', id: 1, data: '{"result":1},"status":"completed","x":{}' }) + '\\n'); return new Promise(() => undefined) }
export const forge = async () => {
  const error = { code: 'forged', message: 'forged' }
  for (let id = 1; id <= 500; id += 1) {
    const own = [{ kind: 'completed', id, data: '{"result":"forged"}' }, { kind: 'failed', id, error, retryable: false },
      { kind: 'log', id, lines: [{ level: 'info', message: 'forged' }] }, { kind: 'blocked', id, stack: '' }]
    for (const one of own) fs.writeSync(3, JSON.stringify(one) + '\\n')
  }
  fs.writeSync(3, JSON.stringify({ kind: 'stray', what: 'exception', error }) + '\\n')
  await new Promise((resolve) => setTimeout(resolve, 300))
  process.reallyExit(1)
}
export const until = async (mark) => { while (globalThis.mark !== mark) await new Promise((resolve) => setTimeout(resolve, 10)); return mark }
export const claim = () => { for (let i = 0; i < 20; i += 1) { const line = Buffer.from(JSON.stringify({ kind: 'read', file: 'x'.repeat(2.5e6) + i, stamp: '' }) + '\\n'); for (let at = 0; at < line.length;) { try { at += fs.writeSync(3, line, at) } catch {} } } }
export const flood = () => { fs.writeSync(3, Buffer.alloc(20_000_000, 120)); return new Promise(() => undefined) }
export const secret = () => { globalThis.mark = 'mine'; return globalThis.mark }
export const mark = () => globalThis.mark ?? 'none'
`

type Outcome = { readonly done?: unknown; readonly error?: string }

const rigs: RunnerRig[] = []
let server: Server
let port = 0

const rigWith = async (settings: Partial<RigSettings>): Promise<RunnerRig> => {
  const rig = await startRunnerRig({ limits: { drainMs: 0 }, ...settings })
  rigs.push(rig)
  expect(rig.runner.waitsBecause).toBeUndefined()
  rig.deploy('ver_1', CODE)
  rig.deploy('ver_other', CODE, { workspaceId: 'wsp_2', projectId: 'prj_2' })
  return rig
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const heapMb = (): number => {
  collectGarbage()
  return process.memoryUsage().heapUsed / 1_000_000
}

beforeAll(async () => {
  process.env['WES_SECRET_KEY_OF_TEST'] = 'never to be seen'
  server = createServer((_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(async () => {
  await Promise.all(rigs.map(({ runner }) => runner.drain()))
  server.close()
})

const NO_PERMISSION = { error: 'ERR_ACCESS_DENIED' }
const ABSENT = { error: 'ENOENT' }
const REFUSED = { error: 'EACCES' }
/** One more thread would need more memory than the process may have. */
const ENDS_ITSELF = { error: expect.stringMatching(/^(?:effect_host_crashed|ERR_WORKER_INIT_FAILED)$/) as string }

/** An effect may look into a /tmp of its own, in which a checkout that lies below /tmp is not found. */
const isBelowTmp = import.meta.filename.startsWith('/tmp/')

/** name, input, what comes of it behind both fences, and behind the namespaces alone. */
const TABLE: readonly (readonly [name: string, input: unknown, both: Outcome, alone: Outcome])[] = [
  ['readFile', '/etc/shadow', NO_PERMISSION, ABSENT],
  ['readFile', import.meta.filename, isBelowTmp ? ABSENT : NO_PERMISSION, ABSENT],
  ['ownStart', null, NO_PERMISSION, { done: ['', 'OLDPWD', 'PWD'] }],
  ['list', '/', NO_PERMISSION, { done: ['bin', 'etc', 'lib', 'lib64', 'mnt', 'proc', 'run', 'tmp', 'wes'] }],
  ['list', '/mnt', NO_PERMISSION, { done: [] }],
  ['list', '/tmp', { done: [] }, { done: [] }],
  ['write', '/escaped', NO_PERMISSION, { error: 'EROFS' }],
  ['write', '/run/escaped', NO_PERMISSION, { error: 'EROFS' }],
  ['openNode', null, NO_PERMISSION, { error: expect.stringMatching(/^(?:EACCES|EROFS)$/) as string }],
  ['link', '/etc/shadow', NO_PERMISSION, ABSENT],
  ['environment', null, { done: [] }, { done: [] }],
  ['parentEnvironment', null, NO_PERMISSION, ABSENT],
  ['processes', null, NO_PERMISSION, { done: ['1'] }],
  ['memoryOf', process.pid, NO_PERMISSION, ABSENT],
  ['signal', process.pid, { error: 'ESRCH' }, { error: 'ESRCH' }],
  ['connect', { host: '127.0.0.1', port: 80 }, REFUSED, REFUSED],
  ['connect', { host: '::1', port: 80 }, REFUSED, REFUSED],
  ['connect', { host: 'localhost', port: 5432 }, REFUSED, REFUSED],
  ['connect', { host: '169.254.169.254', port: 80 }, REFUSED, REFUSED],
  ['connect', { host: '10.0.0.1', port: 22 }, REFUSED, REFUSED],
  ['connect', { host: '::ffff:127.0.0.1', port: 80 }, REFUSED, REFUSED],
  ['connect', { host: '64:ff9b::7f00:1', port: 80 }, REFUSED, REFUSED],
  ['connect', { host: '2130706433', port: 80 }, REFUSED, REFUSED],
  ['usualConnect', { host: '127.0.0.1', port: 80 }, REFUSED, REFUSED],
  ['interfaces', null, { done: [] }, { done: [] }],
  ['udp', null, REFUSED, REFUSED],
  ['resolve', null, { error: 'ENOTIMP' }, { error: 'ENOTIMP' }],
  ['spawn', '/bin/sh', NO_PERMISSION, ABSENT],
  ['unshare', null, NO_PERMISSION, { error: 'failed' }],
  ['nodeOptions', null, NO_PERMISSION, ABSENT],
  ['forkBomb', null, NO_PERMISSION, { error: 'EAGAIN' }],
  ['thread', null, NO_PERMISSION, ENDS_ITSELF],
  ['addon', null, { error: 'ERR_DLOPEN_DISABLED' }, { error: 'ERR_DLOPEN_FAILED' }],
  ['wasi', null, NO_PERMISSION, { done: true }],
  // Its port would be in a network of its own, which nobody else reaches.
  ['inspector', null, NO_PERMISSION, expect.any(Object)],
  ['snapshot', null, NO_PERMISSION, { error: 'EROFS' }],
]

describe.each([
  ['both fences', 2, undefined],
  ['the namespaces alone', 3, () => []],
] as const)('behind %s', (_, column, fence) => {
  let rig: RunnerRig
  beforeAll(async () => {
    rig = await rigWith(fence === undefined ? {} : { fence })
  })

  it.each(TABLE.map((row) => [row[0], JSON.stringify(row[1]), row] as const))('%s %s', async (name, __, row) => {
    const outcome = await rig.perform('attempt', { name, input: row[1] })
    const seen = outcome.kind === 'failed' ? { error: outcome.error.code } : JSON.parse(outcome.data).result
    expect(seen).toEqual(row[column])
  })

  it('reaches no port of this machine', async () => {
    expect(await rig.result('attempt', { name: 'connect', input: { host: '127.0.0.1', port } })).toEqual(REFUSED)
  })

  it('sees nothing of the processes of other workspaces', async () => {
    expect(await rig.result('secret', null, { versionId: 'ver_other' })).toBe('mine')
    expect(await rig.result('mark', null, { versionId: 'ver_other' })).toBe('mine')
    expect(await rig.result('mark')).toBe('none')
  })

  it('gets no more memory than its bound, and harms only itself', async () => {
    expect(await rig.failure('eat')).toMatchObject({ error: { message: expect.stringMatching(/allocat|memory/i) } })
    expect(await rig.failure('eatHeap')).toMatchObject({ error: { code: 'effect_host_crashed' } })
    expect(await rig.result('mark', null, { versionId: 'ver_other' })).toBe('mine')
  })

  it('has a bounded file system', async () => {
    const outcome = await rig.result('attempt', { name: 'fillTmp' })
    expect(outcome).toEqual({ error: 'ENOSPC' })
  })
})

describe('the channel to the worker', () => {
  it('takes nothing for a result that is none, and ends a process that floods it', async () => {
    const rig = await rigWith({ fence: () => [] })
    const lied = await rig.failure('lie', null, { timeoutMs: 3_000 })
    expect(lied.error.code).toMatch(/^(?:invalid_result|effect_timeout)$/)
    expect(await rig.failure('flood')).toMatchObject({ error: { code: 'effect_host_crashed' } })
    expect(await rig.result('mark')).toBe('none')
  })
})

describe('code that answers for attempts that are not its own', () => {
  it('has its way with its own version only', async () => {
    const rig = await rigWith({ fence: () => [] })
    // A Program of the same project, and one of another workspace. Each attempt is the first of its process.
    rig.deploy('ver_2', CODE)
    const others = ['ver_2', 'ver_other']
    const logs: string[] = []
    const onLog = ({ message }: { readonly message: string }) => void logs.push(message)
    const waiting = others.map(async (versionId) => rig.perform('until', 'mine', { versionId, onLog }))
    await Promise.all(others.map((versionId) => rig.result('mark', null, { versionId })))
    const own = rig.perform('until', 'never', { timeoutMs: 60_000 })
    await rig.result('mark')
    expect(await rig.perform('forge')).toMatchObject({ kind: 'completed', data: '{"result":"forged"}' })
    expect(await own).toMatchObject({ kind: 'completed', data: '{"result":"forged"}' })
    await Promise.all(others.map((versionId) => rig.result('secret', null, { versionId })))
    expect(await Promise.all(waiting)).toEqual(others.map(() => ({ kind: 'completed', data: '{"result":"mine"}' })))
    expect(logs).toEqual([])
  })
})

describe('the worker', () => {
  it('keeps nothing of the files that a process says it has read', async () => {
    const rig = await rigWith({ fence: () => [] })
    expect(await rig.result('mark')).toBe('none')
    const before = heapMb()
    await rig.perform('claim')
    expect(heapMb() - before).toBeLessThan(25)
  })
})

describe('a redirect', () => {
  it('is checked like any other connection', async () => {
    const rig = await rigWith({ allowEgress: '127.0.0.1' })
    const input = `http://127.0.0.1:${port}/`
    expect(await rig.result('attempt', { name: 'fetch', input })).toEqual({ error: 'fetch failed' })
    const refused = 'effects may not connect to 169.254.169.254: it is a link-local address'
    await vi.waitUntil(() => rig.lines.some(({ msg }) => msg === refused))
  })
})

describe('the process', () => {
  it.runIf(existsSync('/proc/self/autogroup'))(
    'is less urgent than the service, in a session of its own, too',
    async () => {
      const rig = await rigWith({ fence: () => [] })
      let versions = 0
      // The system changes one group in 100 ms, and other tests start processes, too.
      await vi.waitFor(async () => {
        const versionId = `ver_urgent_${(versions += 1)}`
        rig.deploy(versionId, CODE)
        const read = await rig.result('attempt', { name: 'urgency' }, { versionId })
        expect(read).toEqual({ done: { own: 5, group: 5 } })
      })
    },
  )

  it('has no capabilities and may gain no rights', async () => {
    const rig = await rigWith({ fence: () => [] })
    const zero = (name: string) => `${name}:\t0000000000000000`
    expect(await rig.result('attempt', { name: 'capabilities' })).toEqual({
      done: [zero('CapInh'), zero('CapPrm'), zero('CapEff'), zero('CapAmb'), 'NoNewPrivs:\t1'],
    })
  })
})
