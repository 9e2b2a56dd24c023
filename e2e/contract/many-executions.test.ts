// Contract section 9 from outside: looking at many Executions, changing them, and the runtime itself.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRuntimeProcess, type RuntimeProcess } from '../runtime-process.test-support.ts'
import { talkTo, until, type Talk } from './talk.test-support.ts'

const EFFECTS = `export const charge = async () => { throw new Error('gateway 503') }\n`
const PROGRAM = `import { defineProgram } from 'workflow-execution-service'
import { charge } from './charge.effects.ts'
export default defineProgram({ id: 'charge' }, async () => charge({}))
`

let project: string
let runtime: RuntimeProcess
let talk: Talk
beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'wes-many-'))
  mkdirSync(join(project, 'programs'))
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(project, 'node_modules'))
  writeFileSync(join(project, 'programs/charge.effects.ts'), EFFECTS)
  writeFileSync(join(project, 'programs/charge.ts'), PROGRAM)
  runtime = await startRuntimeProcess({ project })
  talk = talkTo(runtime)
})
afterAll(async () => {
  await runtime.dispose()
  rmSync(project, { recursive: true, force: true })
})

type Items = { readonly items: readonly Readonly<Record<string, unknown>>[] }
const read = async <Shape>(path: string): Promise<Shape> => (await talk.call('GET', path)).json as unknown as Shape
const counts = (query = '') =>
  read<{ counts: Readonly<Record<string, number>>; needsAttention: number }>(`/v1/executions/counts?${query}`)
const isDone = (id: string) =>
  until(async () => {
    const { json } = await talk.call('GET', `/v1/bulk/${id}`)
    return json['status'] === 'running' ? undefined : json
  })

describe('what needs attention', () => {
  it('is what failed, and what waits while an effect backs off', async () => {
    const { counts: before, needsAttention } = await counts()
    await until(async () => ((await talk.call('GET', '/v1/programs/charge')).status === 200 ? true : undefined))
    const { json } = await talk.call('POST', '/v1/executions', { body: { programId: 'charge' } })
    const failed = await talk.run('throw new TypeError("no such order " + input)', 17)
    const listed = await until(async () => {
      const { items } = await read<Items>('/v1/executions?needsAttention=true')
      return items.length === needsAttention + 2 ? items : undefined
    })
    expect(listed.map(({ id }) => id)).toEqual(expect.arrayContaining([json.id, failed.id]))
    const now = await counts()
    expect([now.counts['failed'], now.needsAttention]).toEqual([before['failed']! + 1, needsAttention + 2])
    const { items } = await read<Items>('/v1/waiting')
    expect(items).toContainEqual(
      expect.objectContaining({ kind: 'effect', name: 'charge', programId: 'charge', exampleExecutionId: json.id }),
    )
    await talk.cancel(json.id)
  })
})

describe('failures', () => {
  it('that differ in numbers and ids alone have one fingerprint, over a crash as well', async () => {
    const code = `({ run: async (ctx, input) => {
      const charge = () => { throw new RangeError('card ' + input + ' of ' + ctx.executionId + ' was declined') }
      if (input === 'late') await ctx.sleep(1)
      charge()
    } })`
    await talk.deploy('declining', code)
    const start = async (input: unknown) =>
      (await talk.call('POST', '/v1/executions', { body: { programId: 'declining', input } })).json.id
    const ids = [await start(4711), await start(4712), await start('late')]
    for (const id of ids) expect((await talk.result(id)).status).toBe('failed')
    await runtime.kill()
    await runtime.start()
    const { items } = await read<Items>('/v1/errors?programId=declining')
    const groups = items.map(({ name, count }) => [name, count])
    expect(groups).toContainEqual(['RangeError', 2])
    const group = items.find(({ count }) => count === 2)!
    const found = await read<Items>(`/v1/executions?errorFingerprint=${String(group['fingerprint'])}`)
    expect(found.items.map(({ id }) => id)).toEqual([ids[1], ids[0]])
  })
})

describe('many Executions', () => {
  it('are cancelled, run again and deleted in the background, and what is done survives a crash', async () => {
    await talk.deploy('many', "({ run: async (ctx, input) => ctx.waitForEvent('go') })")
    for (let n = 0; n < 40; n += 1) {
      await talk.call('POST', '/v1/executions', { body: { programId: 'many', input: { n } } })
    }
    const cancel = await talk.call('POST', '/v1/bulk', { body: { action: 'cancel', filter: { programId: 'many' } } })
    expect([cancel.status, cancel.json['matched']]).toEqual([202, 40])
    expect(await isDone(cancel.json.id)).toMatchObject({ status: 'done', done: 40, failed: 0 })
    await until(async () => ((await counts('programId=many')).counts['cancelled'] === 40 ? true : undefined))

    const again = await talk.call('POST', '/v1/bulk', {
      body: { action: 'run-again', filter: { programId: 'many', status: 'cancelled' } },
    })
    expect(await isDone(again.json.id)).toMatchObject({ matched: 40, done: 40 })
    await until(async () => ((await counts('programId=many')).counts['waiting'] === 40 ? true : undefined))

    const remove = await talk.call('POST', '/v1/bulk', { body: { action: 'delete', filter: { programId: 'many' } } })
    expect(await isDone(remove.json.id)).toMatchObject({ matched: 80, done: 40, failed: 40 })
    await runtime.kill()
    await runtime.start()
    expect((await counts('programId=many')).counts).toMatchObject({ waiting: 40, cancelled: 0 })
    expect((await talk.call('GET', `/v1/bulk/${remove.json.id}`)).json).toMatchObject({
      error: { code: 'bulk_not_found' },
    })
    const { items } = await read<Items>('/v1/executions?programId=many&limit=1')
    expect((await talk.execution(String(items[0]!['id']))).input).toHaveProperty('n')
  })
})

describe('an Execution', () => {
  it('is deleted once it has ended, and not before', async () => {
    const id = await talk.begin("return ctx.waitForEvent('go')")
    await talk.waitsFor(id, 'go')
    const early = await talk.call('DELETE', `/v1/executions/${id}`)
    expect([early.status, early.json]).toEqual([
      409,
      { error: { code: 'execution_not_finished', message: expect.any(String) as string } },
    ])
    await talk.send(id, 'go')
    await talk.result(id)
    expect((await talk.call('DELETE', `/v1/executions/${id}`)).status).toBe(204)
    expect((await talk.call('GET', `/v1/executions/${id}`)).status).toBe(404)
  })
})

describe('the runtime', () => {
  it('tells of metrics, source and processes', async () => {
    const { points, stepMs } = await read<{ points: Readonly<Record<string, number>>[]; stepMs: number }>('/v1/metrics')
    expect(points.length * stepMs).toBeGreaterThanOrEqual(3_600_000)
    expect(points.reduce((sum, point) => sum + point['started']!, 0)).toBeGreaterThan(40)
    writeFileSync(join(project, 'programs/broken.ts'), 'export default defineProgram({ id: 1 ')
    const source = await until(async () => {
      const seen = await read<{ errors: readonly unknown[]; programs: readonly unknown[] }>('/v1/source')
      return seen.errors.length > 0 ? seen : undefined
    })
    expect(source.programs).toEqual([{ id: 'charge', path: 'programs/charge.ts' }])
    expect(source.errors).toContainEqual(
      expect.objectContaining({ path: 'programs/broken.ts', line: 1, message: expect.any(String) as string }),
    )
    expect(await read('/v1/runtime')).toMatchObject({
      pid: runtime.pid(),
      dataDir: expect.any(String) as string,
      hosts: expect.arrayContaining([expect.objectContaining({ kind: 'program' })]) as unknown[],
    })
  })
})
