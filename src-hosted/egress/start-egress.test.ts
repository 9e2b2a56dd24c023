import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import pino from 'pino'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import type { EgressSettings } from './egress-messages.ts'
import { startEgress, type Egress } from './start-egress.ts'

const OWNER = { workspaceId: 'wsp_1', name: 'x' }

const start = async (settings: Partial<EgressSettings> = {}, askEveryMs?: number) => {
  const folder = temporaryFolder('egress')
  const lines: { msg: string; effectsOf?: string }[] = []
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line) as { msg: string }) })
  const egress: Egress = await startEgress({ allow: '', ownHosts: [], ...settings }, log, askEveryMs)
  onTestFinished(egress.stop)
  return { egress, path: join(folder, 'egress.sock'), lines }
}

const ask = async (path: string, authority: string): Promise<string> => {
  const socket = connect(path)
  let answer = ''
  socket.setEncoding('utf8').on('data', (part: string) => (answer += part))
  socket.on('error', () => undefined)
  socket.end(`CONNECT ${authority} HTTP/1.1\r\nhost: x\r\n\r\n`)
  await new Promise((resolve) => socket.once('close', resolve))
  return answer
}

describe('the egress process', () => {
  it('opens and closes ways out, and logs what it refuses', async () => {
    const { egress, path, lines } = await start()
    await egress.open(path, { ...OWNER, name: 'version ver_1' })
    expect(await ask(path, 'localhost:80')).toContain('effects may not connect to localhost: it is not public')
    await expect
      .poll(() => lines)
      .toMatchObject([{ effectsOf: 'version ver_1', msg: expect.stringContaining('localhost') }])
    await egress.close(path)
    expect(existsSync(path)).toBe(false)
  })

  it('logs what is refused to one workspace after another one was refused much', async () => {
    const { egress, path, lines } = await start()
    await egress.open(path, { workspaceId: 'wsp_1', name: 'ver_1' })
    await egress.open(`${path}2`, { workspaceId: 'wsp_2', name: 'ver_2' })
    for (let n = 0; n < 101; n += 1) await ask(path, '10.0.0.1:80')
    await ask(`${path}2`, '10.0.0.1:80')
    await expect.poll(() => lines.map(({ effectsOf }) => effectsOf)).toContain('ver_2')
  })

  it('refuses the addresses of this machine and of the hosts that it is told of', async () => {
    const { egress, path } = await start({ ownHosts: ['1.1.1.1', 'no-such-host.invalid'] })
    await egress.open(path, OWNER)
    expect(await ask(path, '1.1.1.1:443')).toContain('it is an address of this service')
  })

  it('opens the same ways out again after it was killed, and keeps closed what it was told', async () => {
    const { egress, path, lines } = await start({ allow: '127.0.0.1' })
    egress.keepClosed([{ host: '127.0.0.1', port: 1 }])
    await egress.open(path, OWNER)
    expect(await ask(path, '127.0.0.1:1')).toContain('an address of this service, which closes port 1')
    expect(await ask(path, '127.0.0.1:2')).toContain('ECONNREFUSED')
    process.kill(egress.pid, 'SIGKILL')
    await expect.poll(() => ask(path, '10.0.0.1:80')).toContain('a private address')
    expect(await ask(path, '127.0.0.1:1')).toContain('an address of this service, which closes port 1')
    expect(lines.map(({ msg }) => msg)).toContain('the egress process died')
  })

  it('opens them again after it stood still, however late this process is itself', async () => {
    const { egress, path, lines } = await start({}, 50)
    await egress.open(path, OWNER)
    const { pid } = egress
    const busy = setInterval(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 110))
    onTestFinished(() => clearInterval(busy))
    process.kill(pid, 'SIGSTOP')
    await vi.waitUntil(() => egress.pid !== pid)
    clearInterval(busy)
    await expect.poll(() => ask(path, '10.0.0.1:80')).toContain('a private address')
    expect(lines.map(({ msg }) => msg).slice(0, 2)).toEqual([
      'the egress process does not answer; it is killed, and started again',
      'the egress process died',
    ])
  })

  it('opens none while it does not know which addresses are closed', async () => {
    // Which takes it a while to look up.
    const ownHosts = Array.from({ length: 10 }, (_, n) => `no-such-${n}.invalid`)
    const { egress, path } = await start({ allow: '127.0.0.1', ownHosts })
    egress.keepClosed([{ host: '127.0.0.1', port: 1 }])
    const { pid } = egress
    process.kill(pid, 'SIGKILL')
    await vi.waitUntil(() => egress.pid !== pid)
    const opened = egress.open(path, OWNER)
    expect(await vi.waitUntil(() => ask(path, '127.0.0.1:1'), { interval: 1 })).toContain('which closes port 1')
    await opened
  })

  it('opens one again that could not be opened after a restart', async () => {
    const { egress, path, lines } = await start()
    await egress.open(path, OWNER)
    process.kill(egress.pid, 'SIGKILL')
    rmSync(path)
    // A folder in its place is in the way.
    mkdirSync(path)
    await expect
      .poll(() => lines.map(({ msg }) => msg))
      .toContainEqual(expect.stringContaining('effects cannot connect'))
    rmdirSync(path)
    await expect.poll(() => ask(path, '10.0.0.1:80')).toContain('a private address')
  })

  it('opens them also after the system could not start it for a while', async () => {
    const { egress, path, lines } = await start()
    await egress.open(path, OWNER)
    const { execPath } = process
    const restore = () => void (process.execPath = execPath)
    onTestFinished(restore)
    process.execPath = '/nowhere/node'
    process.kill(egress.pid, 'SIGKILL')
    const deaths = () => lines.filter(({ msg }) => msg === 'the egress process died')
    await expect.poll(() => deaths().length).toBeGreaterThan(2)
    restore()
    await expect.poll(() => ask(path, '10.0.0.0:80')).toContain('a private address')
  })

  it('is not started with a range that is none', async () => {
    await expect(start({ allow: '10.0.0.0/99' })).rejects.toThrow('"10.0.0.0/99" is no address range')
  })

  it('leaves no process and no timer when it does not start', async () => {
    // Nobody can become this user.
    const settings = JSON.stringify({ allow: '', ownHosts: [], uid: -1 })
    const code = `
      import pino from 'pino'
      import { startEgress } from ${JSON.stringify(new URL('start-egress.ts', import.meta.url).href)}
      await startEgress(${settings}, pino({ level: 'silent' })).catch(({ message }) => console.log(message))`
    const parent = spawn(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    })
    let printed = ''
    parent.stdout.setEncoding('utf8').on('data', (part: string) => (printed += part))
    const exited = once(parent, 'close')
    onTestFinished(() => {
      // With its children, where it still runs.
      if (parent.exitCode === null && parent.signalCode === null) process.kill(-parent.pid!, 'SIGKILL')
    })
    // It ends by itself once nothing is left to wait for.
    expect(await exited).toEqual([0, null])
    expect(printed).toBe('the egress process ended: exit code 1\n')
  })

  it('says that a socket cannot be opened', async () => {
    const { egress } = await start()
    await expect(egress.open('/no/such/folder/egress.sock', OWNER)).rejects.toThrow(
      'effects cannot connect to the network',
    )
  })
})
