// Several `wes serve` on one machine: side by side, on the same ports and folders, and stopped.

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync, renameSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { openServeFolder } from '#hosted/boot/serve-folder.ts'
import { programOf } from '#runtime/behaviour/artifacts.test-support.ts'
import { followStream } from '#runtime/behaviour/event-stream.test-support.ts'
import { talkTo, until, type Talk } from '#runtime/behaviour/talk.test-support.ts'
import { temporaryFolder } from '#runtime/shared/temporary-folder.test-support.ts'
import { wes } from '../../src-cli/wes.test-support.ts'
import { descendantsOf, stillAlive } from '../leftovers.ts'
import { startServeProcess, type ServeProcess } from '../serve-process.test-support.ts'

const FLAGS = ['--unsafe-effects', '--log-level', 'fatal']

let services: readonly ServeProcess[]
let one: Talk
let other: Talk
const talkWith = ({ url, token }: ServeProcess): Talk =>
  talkTo(() => ({ url, headers: { authorization: `Bearer ${token}` } }))
beforeAll(async () => {
  services = await Promise.all([startServeProcess(FLAGS), startServeProcess(['--log-level', 'fatal'])])
  ;[one, other] = services.map(talkWith) as [Talk, Talk]
})
afterAll(() => Promise.all(services.map((service) => service.dispose())))

const newFolder = (): string => temporaryFolder('refused')

const running = (folder: string) => descendantsOf(0).filter(({ command }) => command.includes(folder))

it('two services with other folders and ports run beside each other, and know nothing of each other', async () => {
  const results = await Promise.all([one, other].map((talk, index) => talk.run(`return ${index}`)))
  expect(results).toMatchObject([{ result: 0 }, { result: 1 }])
  expect((await one.get('/v1/executions')).items).toHaveLength(1)
  const { url } = services[1]!
  const foreign = await fetch(`${url}/v1/executions`, { headers: { authorization: `Bearer ${services[0]!.token}` } })
  expect(foreign.status).toBe(401)
})

/** Nothing of what has ended or was closed meanwhile. */
const ifThere = (look: () => readonly string[]): readonly string[] => {
  try {
    return look()
  } catch {
    return []
  }
}

/** Ports on which these processes listen to other machines, of those that use IPv4. */
const openPorts = (pids: readonly number[]): readonly number[] => {
  const sockets = new Set(
    pids
      .flatMap((pid) => ifThere(() => readdirSync(`/proc/${pid}/fd`).map((fd) => `/proc/${pid}/fd/${fd}`)))
      .flatMap((path) => ifThere(() => /^socket:\[(\d+)\]$/.exec(readlinkSync(path))?.slice(1) ?? [])),
  )
  const lines = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1)
  return lines.flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
    const [address = '', port = ''] = local.split(':')
    const isOpen = state === '0A' && !address.endsWith('7F') && sockets.has(inode)
    return isOpen ? [Number.parseInt(port, 16)] : []
  })
}

it.runIf(process.platform === 'linux')(
  '--host opens the API and the webhooks to other machines, and nothing else',
  async () => {
    const open = await startServeProcess([...FLAGS, '--host', '0.0.0.0'])
    onTestFinished(async () => void (await open.dispose()))
    const pids = [open.pid(), ...descendantsOf(open.pid()).map(({ pid }) => pid)]
    const wanted = [open.url, open.hooksUrl].map((url) => Number(new URL(url).port))
    expect(openPorts(pids).toSorted()).toEqual(wanted.toSorted())
    expect(await talkWith(open).run('return 1')).toMatchObject({ result: 1 })
  },
)

it.each(['--port', '--hooks-port'])('a service whose %s is taken says so, and leaves nothing running', async (flag) => {
  const server = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  const port = await until(async () => {
    const address = server.address()
    return typeof address === 'object' ? address?.port : undefined
  })
  const folder = newFolder()
  const rest = flag === '--port' ? '--hooks-port' : '--port'
  const { code, out, err } = await wes(['serve', '--data-dir', folder, flag, `${port}`, rest, '0'])
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toContain(`wes: port ${port} is taken by `)
  expect(err).toContain(`Stop that process, or choose another port with ${flag}.`)
  expect(running(folder)).toEqual([])
  openServeFolder(folder).release()
})

it('a service with one port for both the API and webhooks says so', async () => {
  const { code, err } = await wes(['serve', '--port', '8080', '--hooks-port', '8080'])
  expect([code, err]).toEqual([2, expect.stringContaining('--port and --hooks-port are both 8080')])
})

it('a service whose effects cannot be prepared says why, and leaves nothing running', async () => {
  const folder = newFolder()
  const flags = ['--port', '0', '--hooks-port', '0', '--allow-egress', 'nowhere']
  const { code, out, err } = await wes(['serve', '--data-dir', folder, ...flags])
  expect({ code, out }).toEqual({ code: 1, out: '' })
  expect(err).toContain('"nowhere" is no address range')
  expect(running(folder)).toEqual([])
  openServeFolder(folder).release()
})

it('a service whose folder another one has says whose it is', async () => {
  const { dataDir, url } = services[0]!
  const { code, err } = await wes(['serve', '--data-dir', dataDir, '--port', '0', '--hooks-port', '0'])
  expect(code).toBe(1)
  expect(err).toContain(`is in use by process ${services[0]!.pid()} at ${url}`)
  expect(err).toContain('choose another folder with --data-dir')
  expect(await one.run('return 1')).toMatchObject({ status: 'completed' })
})

/** Notes when the service closes the connection, on which a request has begun if `text` is given. */
const noteClose = async (url: string, onClose: () => void, text = ''): Promise<void> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  // What the service may answer is read: the end of a connection is only seen behind it.
  socket
    .on('error', () => {})
    .once('close', onClose)
    .resume()
  await once(socket, 'connect')
  socket.write(text)
}

it('isolated effects ask the service for names, and are told at once what they cannot have', async () => {
  const code = `import dns, { lookup } from 'node:dns'
import dgram from 'node:dgram'
import { existsSync } from 'node:fs'
const codeOf = (ask) => new Promise((resolve) => ask((error) => resolve(error?.code)))
export const ask = async () => [
  await codeOf((done) => lookup('localhost', done)),
  await codeOf((done) => dns.resolve4('localhost', done)),
  await codeOf((done) => { try { dgram.createSocket('udp4') } catch (error) { done(error) } }),
  existsSync('/etc/passwd'),
]`
  const asking = {
    ...programOf('asking', 'return ctx.effect("ask")'),
    manifest: { effects: [{ name: 'ask', retry: { maxAttempts: 1 } }] },
    effects: { code },
  }
  expect((await other.call('POST', '/v1/programs/deploy', { json: asking })).status).toBe(201)
  const { json } = await other.call('POST', '/v1/executions', {
    json: { programId: 'asking' },
    headers: { prefer: 'wait=30' },
  })
  expect(json).toMatchObject({ status: 'completed', result: ['EACCES', 'ENOTIMP', 'EACCES', false] })
})

it('a stopped service ends within 10 s with all that it started, and goes on after its next start, also in a copy of its folder, whose changes count as others', async () => {
  const service = services[0]!
  const slow = {
    ...programOf('slow', 'await ctx.effect("slow")'),
    manifest: { effects: [{ name: 'slow' }] },
    effects: { code: 'export const slow = () => new Promise((resolve) => setTimeout(resolve, 60_000))' },
  }
  expect((await one.call('POST', '/v1/programs/deploy', { json: slow })).status).toBe(201)
  const [busy, timed] = await Promise.all([one.start('slow'), one.begin('await ctx.sleep(3000); return "woke"')])
  await one.waitsFor(busy, 'slow')
  const authorized = { authorization: `Bearer ${service.token}` }
  const stream = await followStream(`${service.url}/v1/changes`, authorized)
  onTestFinished(() => stream.leave())
  const lastId = await stream.lastId()

  // The API answers what it holds, and waits for a request that does not come to its end; meanwhile no webhook is accepted.
  const closed: string[] = []
  const path = `/v1/executions/${busy}/result`
  const held = one.call('GET', path, { headers: { prefer: 'wait=60' } }).then(({ status }) => closed.push(`${status}`))
  const { host } = new URL(service.url)
  const head = `POST /v1/executions HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${service.token}\r\n`
  await noteClose(service.url, () => closed.push('API'), `${head}content-length: 9\r\n\r\n`)
  await noteClose(service.hooksUrl, () => closed.push('webhooks'))

  const all = descendantsOf(service.pid())
  const began = performance.now()
  expect(await service.stop()).toBe(0)
  expect(performance.now() - began).toBeLessThan(10_000)
  await held
  await vi.waitUntil(() => closed.length === 3)
  expect(closed).toEqual(['200', 'webhooks', 'API'])
  expect(stillAlive(all)).toEqual([])
  expect(running(service.dataDir)).toEqual([])

  const backup = `${service.dataDir}-backup`
  execFileSync('cp', ['-a', service.dataDir, backup])
  rmSync(service.dataDir, { recursive: true })
  renameSync(backup, service.dataDir)
  await service.start()
  const resumed = await followStream(`${service.url}/v1/changes`, { ...authorized, 'last-event-id': lastId })
  onTestFinished(() => resumed.leave())
  expect((await resumed.next())?.event).toBe('reset')
  expect(await one.result(timed)).toMatchObject({ status: 'completed', result: 'woke' })
  expect((await one.cancel(busy)).status).toBe(202)
  expect(await one.result(busy)).toMatchObject({ status: 'cancelled' })
})
