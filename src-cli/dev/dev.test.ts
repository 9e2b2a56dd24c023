// The real command and runtime, with real signals.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { mkdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { DataDirectoryInUseError } from '#runtime/shared/runtime.ts'
import { temporaryFolder } from '#runtime/shared/temporary-folder.test-support.ts'
import { createClient } from '#sdk/index.ts'
import { readRuntimeInfo, writeRuntimeInfo } from '#runtime/data-directory/data-directory.ts'
import { readTrustedFolders } from '#runtime/data-directory/trusted-folders.ts'
import { freePorts } from '#hosted/boot/free-ports.ts'
import { json, startScriptedServer, until } from '../../src-sdk/scripted-server.test-support.ts'
import { wesHere } from '../wes-here.test-support.ts'
import { MAIN, startWes, wes } from '../wes.test-support.ts'
import { explainFailedStart } from './explain-failed-start.ts'

const folder = (): Promise<string> => realpath(temporaryFolder('dev'))

type Running = {
  readonly child: ChildProcess
  readonly out: () => string
  readonly err: () => string
  /** The URL after `ready`. */
  readonly ready: Promise<string>
  readonly closed: Promise<number | null>
}

const startDev = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Running => {
  const child = startWes(['dev', ...args], { env })
  let out = ''
  let err = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (err += text))
  const closed = once(child, 'close').then(([code]) => code as number | null)
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const url = /^ready (\S+)\n/.exec(out)?.[1]
      if (url !== undefined) resolve(url)
    })
    void closed.then((code) => reject(new Error(`wes dev ended with ${code}: ${err}`)))
  })
  ready.catch(() => {})
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await closed
  })
  return { child, out: () => out, err: () => err, ready, closed }
}

/** All that a quiet runtime prints to standard error. */
const QUIET = [
  expect.stringMatching(
    /^dashboard http:\/\/localhost:\d+\/#code=[\w-]{32} \(one use, within 10 minutes; `wes link` prints another\)$/,
  ),
  expect.stringMatching(/^no Programs in .+ \(expected in programs\/\*\*\/\*\.ts\) in \d+ ms$/),
] as const

const portOf = (url: string): string => new URL(url).port

describe('wes dev', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'prints one line to stdout when it is ready, and stops cleanly on %s',
    async (signal) => {
      const dev = startDev(['--port', '0', '--data-dir', await folder(), '--no-watch'])
      const url = await dev.ready
      expect(url).toMatch(/^http:\/\/localhost:\d+$/)
      expect(await (await fetch(`${url}/healthz`)).json()).toMatchObject({ service: 'workflow-execution-service' })
      await vi.waitFor(() => expect(dev.err().split('\n').toSorted()).toEqual(['', ...QUIET]))
      const askedAt = Date.now()
      dev.child.kill(signal)
      expect(await dev.closed).toBe(0)
      expect(Date.now() - askedAt).toBeLessThan(5_000)
      expect(dev.out()).toBe(`ready ${url}\n`)
      expect(dev.err().split('\n')).toHaveLength(3)
      await expect(fetch(url)).rejects.toThrow('fetch failed')
    },
  )

  it('stops in time while a client waits for a result', async () => {
    const dev = startDev(['--port', '0', '--data-dir', await folder()])
    const url = await dev.ready
    await wesHere(['deploy', join(import.meta.dirname, '../../examples/artifacts/approval.program.json'), '--url', url])
    const headers = { prefer: 'wait=30', 'content-type': 'application/json' }
    const held = request(`${url}/v1/executions`, { method: 'POST', headers })
    const answered = once(held, 'response') as Promise<[IncomingMessage]>
    held.end('{"programId":"approval","input":{"requester":"a","cents":1}}')
    const client = createClient({ url })
    await vi.waitUntil(async () => (await client.listExecutions()).items.length === 1) // by now the server has the held request
    dev.child.kill('SIGTERM')
    const [[answer], code] = await Promise.all([answered, dev.closed])
    expect([answer.statusCode, code]).toEqual([201, 0])
  })

  it('reads its data directory from WES_DATA_DIR', async () => {
    const dataDir = join(await folder(), 'new')
    const dev = startDev(['--port', '0', '--no-watch', '--no-effects'], { WES_DATA_DIR: dataDir })
    const url = await dev.ready
    expect(readRuntimeInfo(dataDir)).toMatchObject({ pid: dev.child.pid, port: Number(portOf(url)) })
    // The command that the dashboard suggests starts the same runtime, in any shell.
    const { startedBy } = await createClient({ url }).getRuntime()
    expect(startedBy?.start).toContain(`--data-dir ${dataDir} `)
    expect(startedBy?.start).toMatch(/ --no-watch --no-effects$/)
  })

  it('continues when the reader of its output is gone', async () => {
    const dev = startDev(['--port', '0', '--data-dir', await folder(), '--verbose'])
    const url = await dev.ready
    dev.child.stdout?.destroy()
    dev.child.stderr?.destroy()
    await wesHere(['programs', '--url', url])
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect(dev.child.exitCode).toBeNull()
  })

  it.skipIf(!existsSync('/dev/full'))('continues and stops while the disk that holds its output is full', async () => {
    const dataDir = await folder()
    const full = openSync('/dev/full', 'w')
    const args = [MAIN, 'dev', '--port', '0', '--data-dir', dataDir, '--no-watch']
    const child = spawn(process.execPath, args, { stdio: ['ignore', full, full] })
    closeSync(full)
    const closed = once(child, 'close')
    onTestFinished(async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await closed
    })
    const info = await vi.waitFor(() => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
      return readRuntimeInfo(dataDir) ?? expect.fail('it does not run yet')
    })
    expect((await fetch(`http://localhost:${info.port}/healthz`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await closed).toEqual([0, null])
  })

  it('with --token, prints a token and requires it from every caller but its user’s wes', async () => {
    const env = { WES_DATA_DIR: await folder() }
    const dev = startDev(['--port', '0', '--token'], env)
    const url = await dev.ready
    await vi.waitUntil(() => dev.err().includes('dashboard '))
    expect(dev.out()).toBe(`ready ${url}\n`)
    const token = /^token (wes_dev_[\w-]{43})$/m.exec(dev.err())?.[1] ?? ''
    const ask = async (headers: Record<string, string>) => (await fetch(`${url}/v1/projects`, { headers })).status
    expect(await ask({})).toBe(401)
    expect(await ask({ authorization: `Bearer ${token}` })).toBe(200)
    expect(await wesHere(['projects', '--json', '--url', url], { env })).toMatchObject({ code: 0 })
    expect(await wesHere(['projects', '--url', url])).toMatchObject({ code: 1 })
    expect(await wesHere(['projects', '--url', url, '--token', token])).toMatchObject({ code: 0 })
  })

  it.each([
    ['with --token', ['--token'], '/v1/projects'],
    ['without a token', [], '/local/connections'],
  ])('%s, prints links that open a session, once each', async (_how, args, path) => {
    const env = { WES_DATA_DIR: await folder(), WES_DEV_TOKEN: 'chosen' }
    const dev = startDev(['--port', '0', ...args], env)
    const url = await dev.ready
    await vi.waitUntil(() => dev.err().includes('dashboard '))
    expect(dev.err()).not.toContain('chosen')
    expect(dev.err().includes('WES_DEV_TOKEN has no effect without --token')).toBe(args.length === 0)
    const printed = await wesHere(['link'], { env })
    const links = [/^dashboard (\S+)/m.exec(dev.err())?.[1] ?? '', printed.out.trim()]
    for (const link of links) {
      const code = new URL(link).hash.replace('#code=', '')
      const exchange = () =>
        fetch(`${url}/local/session`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', origin: url },
          body: JSON.stringify({ code }),
        })
      const { key } = (await (await exchange()).json()) as { key: string }
      expect((await fetch(`${url}${path}`, { headers: { 'x-wes-session': key } })).status).toBe(200)
      expect((await exchange()).status).toBe(401)
    }
    expect((await fetch(`${url}${path}`)).status).toBe(401)
  })

  it('accepts no token in its arguments', async () => {
    const { code, err } = await wes(['dev', '--token', 'secret', '--port', '0', '--data-dir', await folder()])
    expect(code).toBe(2)
    expect(err).toContain('too many arguments')
  })

  it('adds its project to the list of trusted folders', async () => {
    const [dataDir, project] = [await folder(), await folder()]
    await startDev(['--port', '0', '--data-dir', dataDir, '--project', project]).ready
    expect(readTrustedFolders(dataDir)).toEqual([project])
  })

  it('with --no-effects, runs Programs without effects; fire and retry work', async () => {
    const [dataDir, project] = [await folder(), await folder()]
    await symlink(join(import.meta.dirname, '../../node_modules'), join(project, 'node_modules'))
    await mkdir(join(project, 'programs'))
    await writeFile(
      join(project, 'programs/pay.effects.ts'),
      `import { defineEffect } from 'workflow-execution-service'
export const pay = defineEffect({ retry: { initialInterval: '1h', maxInterval: '1h' } }, async (_input: null, { attempt }) => {
  if (attempt === 1) throw new Error('no money')
  return attempt
})\n`,
    )
    await writeFile(
      join(project, 'programs/order.ts'),
      `import { defineProgram } from 'workflow-execution-service'
import { pay } from './pay.effects.ts'
export default defineProgram({ id: 'order' }, async (ctx) => {
  await ctx.sleep('1h')
  return pay(null)
})\n`,
    )
    const args = ['--port', '0', '--data-dir', dataDir, '--project', project]
    const without = startDev([...args, '--no-effects'])
    const waitingFor = async (url: string, id: string): Promise<unknown> => {
      const answer = await fetch(`${url}/v1/executions/${id}`)
      return ((await answer.json()) as { waitingFor: unknown[] }).waitingFor[0]
    }
    let url = await without.ready
    await vi.waitUntil(() => without.err().includes('effects are off (--no-effects)'))
    await vi.waitUntil(async () => (await wesHere(['programs', '--url', url])).out.includes('order'))
    const id = (await wesHere(['start', 'order', '--url', url])).out.trim()
    await vi.waitUntil(async () => (await waitingFor(url, id)) !== undefined)
    const fired = await wesHere(['fire', id, '1', '--url', url])
    expect(fired).toEqual({ code: 0, out: `command 1 of ${id} is due now\n`, err: '' })
    await expect.poll(() => waitingFor(url, id)).toMatchObject({ kind: 'effect', attempt: 1 })
    const again = await wesHere(['fire', id, '1', '--url', url])
    expect(again.code).toBe(1)
    expect(again.err).toContain('command_not_open')
    without.child.kill('SIGTERM')
    expect(await without.closed).toBe(0)

    const dev = startDev(args)
    url = await dev.ready
    await expect
      .poll(() => waitingFor(url, id))
      .toMatchObject({ kind: 'effect', attempt: 2, nextAttemptAt: expect.any(String) })
    await vi.waitUntil(() => dev.err().includes('failed effect pay of order version 1: Error: no money, at '))
    expect(await wesHere(['retry', id, '2', '--url', url])).toMatchObject({
      code: 0,
      out: `command 2 of ${id} is due now\n`,
    })
    const ended = await wesHere(['result', id, '--wait', '--json', '--url', url])
    expect(JSON.parse(ended.out)).toEqual({ status: 'completed', result: 2 })
  })

  it('says that the same runtime is already running, and exits with 0', async () => {
    const [dataDir, project] = [await folder(), await folder()]
    const first = startDev(['--port', '0', '--data-dir', dataDir, '--project', project])
    const url = await first.ready
    const second = await wes(['dev', '--port', portOf(url), '--data-dir', dataDir, '--project', project])
    expect(second).toMatchObject({ code: 0, err: '' })
    expect(second.out).toContain(`already running at ${url} (process ${first.child.pid})`)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
  })

  it('says so of another version too, and names both', async () => {
    const [dataDir, project] = [await folder(), await folder()]
    const first = startDev(['--port', '0', '--data-dir', dataDir, '--project', project])
    const url = await first.ready
    const { version, ...info } = readRuntimeInfo(dataDir)!
    writeRuntimeInfo(dataDir, { ...info, version: '0.0.9' })
    const second = await wes(['dev', '--port', portOf(url), '--data-dir', dataDir, '--project', project])
    expect(second).toMatchObject({ code: 0, err: '' })
    expect(second.out).toContain(`already running at ${url} (process ${first.child.pid})`)
    expect(second.out).toContain(`\nIt is version 0.0.9, and this is ${version}. To use this version, stop it`)
  })

  it('says with which flag another data directory is chosen, if that one cannot be used', async () => {
    const dataDir = join(await folder(), 'a-file')
    await writeFile(dataDir, '')
    const { code, out, err } = await wes(['dev', '--port', '0', '--data-dir', dataDir])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain('Choose another one with --data-dir\n')
  })

  it('runs once when it is started twice at the same moment', async () => {
    const [dataDir, [port]] = [await folder(), await freePorts([0])]
    const args = ['--port', String(port), '--data-dir', dataDir]
    const both = [startDev(args), startDev(args)]
    const loser = await Promise.race(both.map(({ closed }, index) => closed.then((code) => ({ code, index }))))
    expect(loser.code, both[loser.index]?.err()).toBe(0)
    expect(both[loser.index]?.out()).toContain('already running')
    const winner = both[1 - loser.index]
    expect(await winner?.ready).toBe(`http://localhost:${port}`)
  })

  it('waits for a runtime that does not answer yet', async () => {
    const [dataDir, project] = [await folder(), await folder()]
    const first = startDev(['--port', '0', '--data-dir', dataDir, '--project', project])
    const url = await first.ready
    first.child.kill('SIGSTOP')
    const second = wes(['dev', '--data-dir', dataDir, '--port', portOf(url), '--project', project])
    await pause(3_000)
    first.child.kill('SIGCONT')
    expect(await second).toMatchObject({ code: 0, out: expect.stringContaining(`already running at ${url}`) })
  })

  // Windows deletes no file that is open.
  it.skipIf(process.platform === 'win32')('exits with 1 when its data directory is deleted, and names it', async () => {
    const dataDir = join(await folder(), 'data')
    const dev = startDev(['--port', '0', '--data-dir', dataDir, '--no-watch'])
    await dev.ready
    await rm(dataDir, { recursive: true })
    expect(await dev.closed).toBe(1)
    expect(dev.err()).toContain(`\nwes: The data directory ${dataDir} was deleted, moved or replaced`)
    expect(existsSync(dataDir)).toBe(false)
  })

  it('exits with 1 when the data directory is in use for another project or on another port', async () => {
    const [dataDir, project] = [await folder(), await folder()]
    const first = startDev(['--port', '0', '--data-dir', dataDir])
    const url = await first.ready
    for (const args of [
      ['--port', portOf(url), '--project', project],
      ['--port', '0'],
    ]) {
      const { code, out, err } = await wes(['dev', '--data-dir', dataDir, ...args])
      expect({ code, out }).toEqual({ code: 1, out: '' })
      expect(err).toContain(`data directory ${dataDir} is in use by process ${first.child.pid} at ${url}`)
      expect(err).toContain('--data-dir')
    }
  })

  it('says that the process that has the data directory does not answer', async () => {
    const dataDir = await folder()
    const { port, close } = await startScriptedServer(json(200, {}))
    onTestFinished(close)
    const owner = { pid: 4711, url: `http://localhost:${port}` }
    const startedAt = '2026-11-20T00:00:00.000Z'
    const info = {
      pid: 4711,
      port,
      instanceId: 'i',
      version: '0.1.0',
      secret: 's',
      dataDir,
      projectFolder: dataDir,
      startedAt,
    }
    writeRuntimeInfo(dataDir, info)
    const wanted = { port, dataDir, projectFolder: dataDir, asksForToken: false }
    await expect(explainFailedStart(new DataDirectoryInUseError(dataDir, owner), wanted, 0)).rejects.toMatchObject({
      message: `data directory ${dataDir} is in use by process 4711 at ${owner.url}, which does not answer`,
      hint: 'End that process if it does not come back, or choose another directory with --data-dir.',
    })
  })

  it('exits with 1 when another process has the port, names that process, and asks it only who it is', async () => {
    const other = await startScriptedServer(json(200, {}))
    onTestFinished(other.close)
    const dataDir = join(await folder(), 'new')
    const { code, out, err } = await wes(['dev', '--port', String(other.port), '--data-dir', dataDir])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain(`port ${other.port} is taken by`)
    expect(err).toContain(`(process ${process.pid})`)
    expect(err).toContain('--port')
    expect(other.seen.map(({ url }) => url)).toEqual(['/healthz'])
    expect(existsSync(dataDir), 'a start that was refused leaves nothing').toBe(false)
  })

  it('says which runtime of other data has the port, and where its dashboard is', async () => {
    const [dataDir, project] = [await folder(), await folder()]
    const first = startDev(['--port', '0', '--data-dir', dataDir, '--project', project])
    const url = await first.ready
    const { code, err } = await wes(['dev', '--port', portOf(url), '--data-dir', await folder()])
    expect(code).toBe(1)
    const { version } = packageJson
    expect(err).toContain(
      `wes: port ${portOf(url)} is taken by another WES runtime (version ${version}, process ${first.child.pid}), for the project ${project}, with its data in ${dataDir}\nIts dashboard is at ${url}. `,
    )
  })

  it('starts again immediately after kill -9, and says in a line what of the log is gone', async () => {
    const dataDir = await folder()
    const first = startDev(['--port', '0', '--data-dir', dataDir])
    const url = await first.ready
    first.child.kill('SIGKILL')
    await first.closed
    const log = join(dataDir, 'wes.sqlite-wal')
    await rm(log)
    const second = startDev(['--port', portOf(url), '--data-dir', dataDir])
    expect(await second.ready).toBe(url)
    const fault = `${log} is missing, although its runtime was killed: what was stored last may be lost`
    expect(second.err().split('\n')[0]).toBe(`wes: ${fault}. The runtime goes on with what is left.`)
  })

  it('stops when the shell that npm started it through is killed', async () => {
    const dataDir = await folder()
    const command = `"${process.execPath}" "${MAIN}" dev --port 0 --data-dir "${dataDir}"; true`
    const shell = spawn('sh', ['-c', command], { env: { ...process.env, npm_lifecycle_event: 'wes' }, stdio: 'ignore' })
    onTestFinished(() => void shell.kill('SIGKILL'))
    await until(() => readRuntimeInfo(dataDir) !== undefined)
    shell.kill('SIGTERM')
    await until(() => readRuntimeInfo(dataDir) === undefined)
    expect((await startDev(['--port', '0', '--data-dir', dataDir]).ready).length).toBeGreaterThan(0)
  })

  it('ends without output when it is stopped before it is ready', async () => {
    const dev = startDev(['--port', '0', '--data-dir', await folder(), '--log-level', 'silent'])
    // As early as possible: its signal handlers may not be installed yet.
    dev.child.kill('SIGTERM')
    const code = await dev.closed
    expect([0, null]).toContain(code)
    expect(dev.err()).toBe('')
  })

  it.each([
    ['--port', '65536'],
    ['--port', 'x'],
    ['--port', '-1'],
    ['--project', '/no/such/folder'],
    ['--data-dir', ''],
  ])('exits with 2 for %s %s', async (...args) => {
    const { code, out, err } = await wes(['dev', ...args])
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(args[0])
  })
})
