// Tests the client with a real local runtime over HTTP.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createRuntime } from '../src-runtime/create-runtime.ts'
import type { Runtime } from '../src-runtime/shared/runtime.ts'
import { createClient } from './create-client.ts'
import { clientSuite, rejection } from './real-service.test-support.ts'

const startRuntime = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'wes-sdk-runtime-'))
  const start = (port: number): Promise<Runtime> =>
    createRuntime({ dataDir, port, projectFolder: dataDir, log: pino({ level: 'silent' }) })
  let runtime = await start(0)
  return {
    dataDir,
    runtime: () => runtime,
    options: { url: runtime.url },
    restart: async () => {
      await runtime.stop()
      runtime = await start(runtime.port)
    },
    stop: async () => {
      await runtime.stop()
      await rm(dataDir, { recursive: true })
    },
  }
}

clientSuite('the local runtime', 'local', startRuntime)

it('the client describes the project folder and the runtime, which has no workspaces', async () => {
  const { dataDir, runtime, options, stop } = await startRuntime()
  onTestFinished(stop)
  const client = createClient(options)
  expect(await client.getSource()).toEqual({
    folder: dataDir,
    watching: true,
    projectId: 'default',
    programs: [],
    errors: [],
  })
  const status = await client.getRuntime()
  expect(status).toMatchObject({ pid: process.pid, port: runtime().port, dataDir })
  const shared = expect.objectContaining({ kind: 'program', role: 'shared', state: 'ready' }) as object
  await vi.waitFor(async () => expect((await client.getRuntime()).hosts).toContainEqual(shared))
  expect(status.eventLoopDelayP99Ms).toBeGreaterThanOrEqual(0)
  expect(await rejection(client.whoAmI())).toMatchObject({ status: 404, code: 'hosted_only' })
})
