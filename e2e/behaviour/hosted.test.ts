// What the contract says, held against `wes serve` as it really runs: its own PostgreSQL and Restate, callers with a token.

import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { behaviourSuite } from '#runtime/behaviour/suite.test-support.ts'
import type { Service } from '#runtime/behaviour/service.test-support.ts'

const RUN = `import('${join(import.meta.dirname, '../../src-cli/run.ts')}').then(async ({ run }) => { process.exitCode = await run(process.argv.slice(1)) })`

type Running = { readonly child: ChildProcess; readonly url: string; readonly token: string | undefined }

const startServe = async (dataDir: string, port: number): Promise<Running> => {
  const args = ['--no-warnings', '-e', RUN, 'serve', '--port', String(port), '--hooks-port', '0', '--data-dir', dataDir]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let url: string | undefined
  let token: string | undefined
  for await (const line of createInterface(child.stdout)) {
    const [word, value] = line.split(' ')
    if (word === 'ready') url = value
    if (word === 'token') token = value
    if (url !== undefined && (port !== 0 || token !== undefined)) break
  }
  if (url === undefined) throw new Error('wes serve ended before it was ready')
  return { child, url, token }
}

const ended = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', () => resolve()))

const makeService = async (): Promise<Service> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'wes-serve-'))
  let running = await startServe(dataDir, 0)
  const port = Number(new URL(running.url).port)
  const headers = { authorization: `Bearer ${running.token}` }
  return {
    get url() {
      return running.url
    },
    headers,
    restart: async () => {
      running.child.kill('SIGKILL')
      await ended(running.child)
      running = await startServe(dataDir, port)
    },
    stop: async () => {
      running.child.kill('SIGTERM')
      await ended(running.child)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

behaviourSuite('wes serve', { home: 'hosted', runsUploadedEffects: true }, makeService)
