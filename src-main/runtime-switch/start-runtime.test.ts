// Real runtimes on real ports; what is not ours is a real server that counts what it was sent.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createRuntime } from '../../src-runtime/create-runtime.ts'
import { openDataDirectory } from '../../src-runtime/data-directory/data-directory.ts'
import { withoutLoopbackIpv6 } from '../../src-runtime/http/without-loopback-ipv6.test-support.ts'
import { CHOOSE_DIRECTORY, type RuntimeOptions } from '../../src-runtime/shared/runtime.ts'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { json, startScriptedServer } from '../../src-sdk/scripted-server.test-support.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { describeForeignPort, freePortAfter, isPortFree } from './foreign-port.ts'
import { startRuntimeWith, type Attempt } from './start-runtime.ts'

const options = (): RuntimeOptions => {
  const folder = temporaryFolder('switch')
  return { dataDir: join(folder, 'data'), port: 0, projectFolder: folder, watch: false, log: pino({ level: 'silent' }) }
}
const start = async (given: RuntimeOptions, version = packageJson.version): Promise<Attempt> => {
  const attempt = await startRuntimeWith({ createRuntime, version })(given)
  if (attempt.kind === 'held' && attempt.held.owned) onTestFinished(attempt.held.runtime.stop)
  return attempt
}

describe('starting a runtime', () => {
  it('starts one, and checks that it answers', async () => {
    const given = options()
    const attempt = await start(given)
    expect(attempt).toMatchObject({ kind: 'held', held: { owned: true, info: { pid: process.pid } } })
  })

  it('attaches to the owner of the data directory, on any port and with any project', async () => {
    const given = options()
    const first = await start(given)
    const second = await start({ ...given, port: 1, projectFolder: '/elsewhere' })
    if (first.kind !== 'held') throw new Error('the first one did not start')
    expect(second).toEqual({ kind: 'held', held: { owned: false, info: first.held.info } })
  })

  it('does not attach to another version', async () => {
    const given = options()
    await start(given)
    const second = await start(given, '1.0.0')
    expect(second).toMatchObject({ kind: 'failed', permanent: true })
    expect(second.kind === 'failed' && second.message).toContain(`version ${packageJson.version}`)
  })

  it('asks another process on the port only who it is, and reports its name and a free port', async () => {
    const other = await startScriptedServer(json(200, { service: 'workflow-execution-service' }))
    onTestFinished(other.close)
    const attempt = await start({ ...options(), port: other.port })
    const taken = { port: other.port, isRefused: false }
    expect(attempt).toEqual({ kind: 'port_taken', ...taken })
    const foreign = await describeForeignPort(taken)
    expect(foreign).toMatchObject({
      kind: 'foreign',
      port: other.port,
      isReserved: false,
      runtime: null,
      holder: { pid: process.pid },
    })
    // Windows refuses a port that some programs hold, as one that it reserves.
    expect(await describeForeignPort({ ...taken, isRefused: true })).toMatchObject({ isReserved: false })
    expect(foreign.suggestedPort).toBeGreaterThan(0)
    expect(foreign.suggestedPort).not.toBe(other.port)
    expect([await isPortFree(other.port), await isPortFree(foreign.suggestedPort)]).toEqual([false, true])
    expect(foreign.environmentLine).toBe(`SERVICE_RUNTIME_URL=http://localhost:${foreign.suggestedPort}`)
    // Who it is, once for each description.
    expect(other.seen.map(({ url }) => url)).toEqual(['/healthz', '/healthz'])
  })

  it.each(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])('finds free ports where there is no ::1 (%s)', async (code) => {
    withoutLoopbackIpv6(code)
    const port = await freePortAfter(40_000)
    expect([port > 40_000 && port <= 40_100, await isPortFree(port)]).toEqual([true, true])
  })

  it('says which runtime of other data is on the port', async () => {
    const first = await start(options())
    if (first.kind !== 'held') throw new Error('the first one did not start')
    const { port, version, pid, dataDir, projectFolder } = first.held.info
    expect(await start({ ...options(), port })).toEqual({ kind: 'port_taken', port, isRefused: false })
    const runtime = { version, pid, dataDirectory: dataDir, projectFolder }
    expect(await describeForeignPort({ port, isRefused: false })).toMatchObject({ kind: 'foreign', runtime })
  })

  it('does not trust a file that names a port, because its process cannot prove anything', async () => {
    const given = options()
    const first = await start(given)
    if (first.kind !== 'held') throw new Error('the first one did not start')
    const other = await startScriptedServer(json(200, { service: 'workflow-execution-service', proof: 'x' }))
    onTestFinished(other.close)
    const forged = { ...first.held.info, port: other.port }
    writeFileSync(join(given.dataDir, 'runtime.json'), JSON.stringify(forged))
    const message =
      `data directory ${given.dataDir} is in use by process ${process.pid} at http://localhost:${other.port}, ` +
      'which does not answer. End that process if it does not come back'
    const upgrading = options()
    onTestFinished(openDataDirectory(upgrading.dataDir).release)
    const unknown = `data directory ${upgrading.dataDir} is in use by a process that does not answer. It may be starting, or upgrading the data. End it if it does not come back`
    expect(await Promise.all([start(given), start(upgrading)])).toEqual([
      { kind: 'failed', permanent: false, message },
      { kind: 'failed', permanent: false, message: unknown },
    ])
    expect(other.seen.every(({ url }) => url.startsWith('/healthz?challenge='))).toBe(true)
  })

  it('does not retry a permanent failure', async () => {
    const given = options()
    const attempt = await startRuntimeWith({
      createRuntime: () => Promise.reject(Object.assign(new Error('schema 99'), { name: 'DatabaseRefusedError' })),
      version: '0.1.0',
    })(given)
    expect(attempt).toEqual({ kind: 'failed', message: 'schema 99', permanent: true })
  })

  it('says how to choose another data directory where that is the advice, whatever the message', async () => {
    const refusedWith = async (error: Error) => {
      const attempt = await startRuntimeWith({ createRuntime: () => Promise.reject(error), version: '0.1.0' })(
        options(),
      )
      return attempt.kind === 'failed' && attempt.message
    }
    const advised = Object.assign(new Error('choose another folder'), { code: CHOOSE_DIRECTORY })
    expect(await refusedWith(advised)).toBe('choose another folder with the environment variable WES_DATA_DIR')
    expect(await refusedWith(new Error('the lock is of another one'))).toBe('the lock is of another one')
  })

  it('does not retry with a data directory that cannot be one', async () => {
    const given = options()
    writeFileSync(given.dataDir, 'a file')
    const attempt = await start(given)
    expect(attempt).toMatchObject({ kind: 'failed', permanent: true })
    const said = 'it is a file, or in one. Choose another one with the environment variable WES_DATA_DIR'
    expect(attempt.kind === 'failed' && attempt.message).toContain(said)
  })
})
