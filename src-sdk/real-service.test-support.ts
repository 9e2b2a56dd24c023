// What the client does with a real service over HTTP, whichever home serves it.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Home } from '../src-runtime/contract/operation-spec.ts'
import type { ProgramArtifact } from './contract-types.ts'
import { createClient, executionHandle, type ServiceClient } from './create-client.ts'
import { ServiceRuntimeError } from './service-runtime-error.ts'
import type { ChangeMessage } from './stream-changes.ts'
import type { FetchFunction } from './web-platform.ts'
import { until } from './scripted-server.test-support.ts'

export type LiveService = {
  /** Of a client of an admin. */
  readonly options: { readonly url: string; readonly token?: string; readonly fetch?: FetchFunction }
  /** On the same data and port. */
  restart(): Promise<void>
  stop(): Promise<unknown>
}

const ARTIFACTS = join(import.meta.dirname, '../examples/artifacts')

const example = async (id: string): Promise<ProgramArtifact> =>
  JSON.parse(await readFile(join(ARTIFACTS, `${id}.program.json`), 'utf8')) as ProgramArtifact

export const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.fail('it did not reject'),
    (error: unknown) => error,
  )

export const clientSuite = (name: string, home: Home, makeService: () => Promise<LiveService>): void => {
  describe(`the client and ${name}`, () => {
    let service: LiveService
    let client: ServiceClient
    beforeAll(async () => {
      service = await makeService()
      client = createClient(service.options)
      for (const id of ['approval', 'hello', 'refund-saga', 'reminder-fanout'])
        await client.deployProgram(await example(id))
    })
    afterAll(() => service.stop())

    it('run a Program from start to result', async () => {
      const handle = await client.start('hello', { name: 'Ada' })
      expect(handle.id).toMatch(/^exe_/)
      expect(await handle.result()).toEqual({ greeting: 'Hello, Ada!', from: handle.id })
      expect(await client.getResult(handle.id)).toMatchObject({ status: 'completed' })
      expect(await client.getExecution(handle.id)).toMatchObject({ status: 'completed', input: { name: 'Ada' } })
    })

    it('deliver an event to a wait', async () => {
      const handle = await client.start('approval', { requester: 'Ada', cents: 5 })
      const receipt = await handle.send({ name: 'approved' }, { by: 'Grace' })
      expect(receipt).toMatchObject({ executionId: handle.id, name: 'approved' })
      expect(await handle.result()).toEqual({ approved: true, by: 'Grace' })
      const { items } = await client.getHistory(handle.id)
      expect(items[0]).toMatchObject({ position: 1, type: 'execution_started' })
      expect(items.map(({ type }) => type)).toContain('event_delivered')
    })

    it('let a wait time out', async () => {
      const handle = await client.start('approval', { requester: 'Ada', cents: 5, timeout: 50 })
      expect(await handle.result()).toEqual({ approved: false, reason: 'timeout' })
    })

    it('cancel with compensation', async () => {
      const handle = await client.start('refund-saga', { orderId: 'A-7', pauseMs: 1 })
      await until(async () => (await client.getExecution(handle.id)).waitingFor.some(({ kind }) => kind === 'event'))
      expect(await handle.cancel()).toMatchObject({ id: handle.id, status: 'cancelling' })
      const error = await rejection(handle.result())
      expect(error).toBeInstanceOf(ServiceRuntimeError)
      expect(error).toMatchObject({ status: 200, code: 'execution_cancelled' })
      const { items } = await client.getHistory(handle.id, { limit: 200 })
      const logs = items.filter(({ type }) => type === 'log').map(({ data }) => (data as { message: string }).message)
      expect(logs.slice(-3)).toEqual(['took back courier', 'took back stock', 'took back payment'])
    })

    it('run concurrent work', async () => {
      const handle = await client.start<{ sent: number }>('reminder-fanout', { count: 30, intervalMs: 5 })
      expect((await handle.result()).sent).toBe(30)
    })

    it('return errors with status and code', async () => {
      expect(await rejection(client.start('nobody'))).toMatchObject({ status: 404, code: 'program_not_found' })
      expect(await rejection(client.start('hello', { name: 5 }))).toMatchObject({ status: 400, code: 'invalid_input' })
      expect(await rejection(client.start('hello', { name: 'a' }, { version: 9 }))).toMatchObject({
        status: 404,
        code: 'version_not_found',
      })
      expect(await rejection(client.getExecution('exe_none'))).toMatchObject({ code: 'execution_not_found' })
      expect(await rejection(executionHandle(client, 'exe_none').result())).toMatchObject({
        code: 'execution_not_found',
      })
      expect(await rejection(client.listPrograms({ limit: 0 }))).toMatchObject({ status: 400, code: 'invalid_request' })
      const elsewhere = createClient({ ...service.options, projectId: 'prj_none' })
      expect(await rejection(elsewhere.listPrograms())).toMatchObject({ code: 'project_not_found' })
    })

    it('reject a wait for a failed Execution with the Program’s error', async () => {
      const code = `({ run: async () => { throw new RangeError('too far') } })`
      await client.deployProgram({ format: 'wes.program/1', id: 'fails', program: { code } })
      const error = await rejection((await client.start('fails')).result())
      expect(error).toMatchObject({
        status: 200,
        code: 'execution_failed',
        message: expect.stringContaining('too far'),
        cause: { code: 'program_error', name: 'RangeError', message: 'too far' },
      })
    })

    it('start once for an idempotency key', async () => {
      const input = { name: 'Ada' }
      const first = await client.start('hello', input, { idempotencyKey: 'k1' })
      const again = await client.start('hello', input, { idempotencyKey: 'k1' })
      expect(again.id).toBe(first.id)
      const other = rejection(client.start('hello', { name: 'Bob' }, { idempotencyKey: 'k1' }))
      expect(await other).toMatchObject({ status: 422, code: 'idempotency_conflict' })
    })

    it('page and filter lists', async () => {
      const project = await client.createProject({ name: 'Pages' })
      const mine = createClient({ ...service.options, projectId: project.id })
      await mine.deployProgram(await example('hello'))
      const handles = []
      for (const name of ['a', 'b', 'c']) handles.push(await mine.start('hello', { name }))
      await Promise.all(handles.map((handle) => handle.result()))
      const ids: string[] = []
      let cursor: string | null = null
      do {
        const list = await mine.listExecutions({
          limit: 2,
          cursor,
          status: ['completed', 'failed'],
          programId: 'hello',
        })
        ids.push(...list.items.map(({ id }) => id))
        cursor = list.nextCursor
      } while (cursor !== null)
      expect(ids).toEqual(handles.map(({ id }) => id).toReversed())
      expect((await mine.executions({ status: 'failed' })).items).toEqual([])
      expect((await mine.executions({ createdAfter: new Date(Date.now() + 60_000) })).items).toEqual([])
      expect((await mine.listProgramVersions('hello')).items).toMatchObject([{ number: 1, runnable: true }])
      expect((await mine.programs()).items.map(({ id }) => id)).toEqual(['hello'])
      expect((await client.listProjects()).items.map(({ id }) => id)).toEqual([expect.any(String), project.id])
    })

    it('query many Executions, change them, and delete them', async () => {
      const project = await client.createProject({ name: 'overview' })
      const mine = createClient({ ...service.options, projectId: project.id })
      await mine.deployProgram(await example('approval'))
      for (let n = 0; n < 3; n += 1) await mine.start('approval', { requester: 'Ada', cents: 5 })
      await until(async () => (await mine.countExecutions()).counts.waiting === 3)
      expect((await mine.listWaiting()).items).toMatchObject([{ kind: 'event', name: 'approved', count: 3 }])
      expect((await mine.countExecutions({ waitingName: 'approved', notStatus: 'failed' })).counts.waiting).toBe(3)
      const metrics = await mine.getMetrics({ programId: 'approval' })
      expect(metrics.points.reduce((sum, { started }) => sum + started, 0)).toBe(3)

      const isOver = (id: string) => until(async () => (await mine.getBulk(id)).status !== 'running')
      const cancel = await mine.startBulk({ action: 'cancel', filter: { status: 'waiting' } })
      await isOver(cancel.id)
      await until(async () => (await mine.countExecutions()).counts.cancelled === 3)
      const { items } = await mine.listExecutions()
      await mine.deleteExecution(items.at(0)!.id)
      const rest = await mine.startBulk({ action: 'delete', ids: items.map(({ id }) => id) })
      await isOver(rest.id)
      expect(await mine.stopBulk(rest.id)).toMatchObject({ matched: 3, done: 2, failed: 1 })
      expect((await mine.listExecutions()).items).toEqual([])
      expect((await mine.listErrors()).items).toEqual([])
    })

    it('follow changes after a restart, without missing any', async () => {
      const messages: ChangeMessage[] = []
      const stop = new AbortController()
      let opened = 0
      const following = (async () => {
        const changes = client.streamChanges({ signal: stop.signal, onOpen: () => (opened += 1) })
        for await (const message of changes) messages.push(message)
      })()
      await until(() => opened === 1)
      const { id } = await client.start('hello', { name: 'Ada' })
      const told = (of: string, kind: 'change' | 'deleted', status: string) =>
        messages.some((one) => one.kind === kind && one.change.executionId === of && one.change.status === status)
      await until(() => told(id, 'change', 'completed'))
      await client.deleteExecution(id)
      await until(() => told(id, 'deleted', 'completed'))
      await service.restart()
      await until(() => opened === 2)
      if (home === 'local') await until(() => messages.at(-1)?.kind === 'reset')
      const after = await client.start('hello', { name: 'Bob' })
      await until(() => told(after.id, 'change', 'completed'))
      expect(opened).toBe(2)
      stop.abort()
      await following
    })

    it('continue a wait after a restart', async () => {
      const handle = await client.start('approval', { requester: 'Ada', cents: 5 })
      const result = handle.result()
      await service.restart()
      await handle.send('approved', { by: 'Grace' })
      expect(await result).toEqual({ approved: true, by: 'Grace' })
    })
  })
}
