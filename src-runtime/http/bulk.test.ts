import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpRig, type HttpRig } from './http-rig.test-support.ts'

let rig: HttpRig
beforeAll(async () => {
  rig = await createHttpRig()
  await rig.deploy('hello')
})
afterAll(() => rig.close())

const settle = (id: string) => rig.call('GET', `/v1/executions/${id}/result`, { headers: { prefer: 'wait=10' } })
const bulk = (json: unknown, headers: Record<string, string> = {}) => rig.call('POST', '/v1/bulk', { json, headers })
const isOver = async (id: string) => {
  await expect.poll(async () => (await rig.call('GET', `/v1/bulk/${id}`)).json.status).not.toBe('running')
}
const run = async (json: unknown, headers: Record<string, string> = {}) => {
  const { status, json: begun } = await bulk(json, headers)
  expect(status).toBe(202)
  expect(begun.id).toMatch(/^blk_[0-9a-z]{26}$/)
  await isOver(begun.id)
  return (await rig.call('GET', `/v1/bulk/${begun.id}`)).json
}
const startMany = async (count: number, input: unknown, programId = 'hello'): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => rig.start(programId, input)))
const counts = async (query = '') => (await rig.call('GET', `/v1/executions/counts?${query}`)).json.counts

describe('a bulk', () => {
  it('cancels only the Executions that a filter matches', async () => {
    await rig.deploy('cancelled')
    await startMany(70, { do: 'wait', for: 'go' }, 'cancelled')
    const [other] = await startMany(1, { do: 'wait', for: 'go' })
    expect(
      await run({ action: 'cancel', filter: { programId: 'cancelled', status: ['waiting', 'queued', 'running'] } }),
    ).toMatchObject({
      action: 'cancel',
      status: 'done',
      matched: 70,
      done: 70,
      failed: 0,
    })
    await expect.poll(async () => (await counts('programId=cancelled')).cancelled).toBe(70)
    expect((await rig.call('GET', `/v1/executions/${other!}`)).json.status).not.toBe('cancelled')
    await rig.call('POST', `/v1/executions/${other!}/cancel`)
  })

  it('deletes ended Executions, and counts others as failed', async () => {
    await rig.deploy('deleted')
    const ended = await startMany(3, { do: 'return' }, 'deleted')
    for (const id of ended) await settle(id)
    const [waiting] = await startMany(1, { do: 'wait', for: 'go' }, 'deleted')
    expect(await run({ action: 'delete', filter: { programId: 'deleted' } })).toMatchObject({
      matched: 4,
      done: 3,
      failed: 1,
    })
    expect((await rig.call('GET', `/v1/executions/${ended[0]!}`)).json.error.code).toBe('execution_not_found')
    expect((await rig.call('GET', `/v1/executions/${waiting!}`)).status).toBe(200)
    await rig.call('POST', `/v1/executions/${waiting!}/cancel`)
  })

  it('runs Executions again with the same input, on the newest version', async () => {
    await rig.deploy('again')
    const [id] = await startMany(1, { do: 'return', value: [1, 2] }, 'again')
    const [bare] = await startMany(1, undefined, 'again')
    await rig.deploy('again', { description: 'newer', program: { code: '({ run: async () => 2 })' } })
    expect(await run({ action: 'run-again', ids: [id, bare, id] })).toMatchObject({ matched: 2, done: 2, failed: 0 })
    const { items } = (await rig.call('GET', '/v1/executions?programId=again')).json
    expect(items.map(({ versionNumber }: { versionNumber: number }) => versionNumber)).toEqual([2, 2, 1, 1])
    const origins: (string | undefined)[] = items.slice(0, 2).map(({ againOf }: { againOf?: string }) => againOf)
    expect(origins.toSorted()).toEqual([id, bare].toSorted())
    const inputs = await Promise.all(
      items
        .slice(0, 2)
        .map(async (item: { id: string }) => (await rig.call('GET', `/v1/executions/${item.id}`)).json.input),
    )
    expect(inputs).toContainEqual({ do: 'return', value: [1, 2] })
    expect(inputs).toContain(undefined)
  })

  it('counts failed actions: unknown ids, ended Executions, refused inputs', async () => {
    const [ended] = await startMany(1, { do: 'return' })
    await settle(ended!)
    expect(await run({ action: 'cancel', ids: [ended, 'exe_00000000000000000000000000', 'nonsense'] })).toMatchObject({
      matched: 3,
      done: 0,
      failed: 3,
    })
    await rig.deploy('stricter')
    const [id] = await startMany(1, { do: 'return' }, 'stricter')
    await rig.deploy('stricter', { manifest: { inputSchema: { type: 'string' } } })
    expect(await run({ action: 'run-again', ids: [id] })).toMatchObject({ done: 0, failed: 1 })
  })

  it('affects only the selected project', async () => {
    const { json: project } = await rig.call('POST', '/v1/projects', { json: { name: 'bulk' } })
    const headers = { 'x-service-project-id': project.id as string }
    const [id] = await startMany(1, { do: 'return' })
    await settle(id!)
    expect(await run({ action: 'delete', filter: {} }, headers)).toMatchObject({ matched: 0, done: 0 })
    expect(await run({ action: 'delete', ids: [id] }, headers)).toMatchObject({ matched: 1, done: 0, failed: 1 })
    expect((await bulk({ action: 'delete', filter: {} }, { 'x-service-project-id': 'prj_no' })).json.error.code).toBe(
      'project_not_found',
    )
  })

  it('stops on request, and reports its progress', async () => {
    await rig.deploy('stopped')
    await startMany(150, { do: 'wait', for: 'go' }, 'stopped')
    const { json: begun } = await bulk({ action: 'cancel', filter: { programId: 'stopped' } })
    const stop = await rig.call('POST', `/v1/bulk/${begun.id}/stop`)
    expect([stop.status, stop.json.status]).toEqual([202, 'stopped'])
    await expect
      .poll(async () => {
        const { done } = (await rig.call('GET', `/v1/bulk/${begun.id}`)).json
        const { cancelled, cancelling } = await counts('programId=stopped')
        return done - cancelled - cancelling
      })
      .toBe(0)
    const { status, done, matched } = (await rig.call('GET', `/v1/bulk/${begun.id}`)).json
    expect([status, matched]).toEqual(['stopped', 150])
    expect(done).toBeLessThan(150)
    expect((await rig.call('POST', `/v1/bulk/${begun.id}/stop`)).json.status).toBe('stopped')
    await run({ action: 'cancel', filter: { programId: 'stopped' } })
  })

  it('does not delay other requests', async () => {
    await rig.deploy('crowd')
    await startMany(200, { do: 'wait', for: 'go' }, 'crowd')
    const { json: begun } = await bulk({ action: 'cancel', filter: { programId: 'crowd' } })
    const seen = new Set<number>()
    for (let isRunning = true; isRunning;) {
      const { status, done } = (await rig.call('GET', `/v1/bulk/${begun.id}`)).json
      seen.add(done)
      isRunning = status === 'running'
    }
    // It was seen at several stages, so it was not done in one go.
    expect(seen.size).toBeGreaterThan(2)
  })

  it.each([
    [{ action: 'cancel' }, 'either "ids" or "filter"'],
    [{ action: 'cancel', ids: ['a'], filter: {} }, 'either "ids" or "filter"'],
    [{ action: 'explode', filter: {} }, 'body/action must be one of "cancel", "delete", "run-again"'],
    [{ filter: {} }, 'body must have "action"'],
    [{ action: 'cancel', ids: [] }, 'body/ids'],
    [{ action: 'cancel', ids: 'exe_1' }, 'body/ids'],
    [{ action: 'cancel', ids: [1] }, 'body/ids/0'],
    [{ action: 'delete', filter: { state: 'failed' } }, 'body/filter must not have "state"'],
    [{ action: 'delete', filter: { status: 'done' } }, 'body/filter/status'],
    [{ action: 'delete', filter: { version: '1' } }, 'body/filter/version'],
    [{ action: 'delete', filter: { needsAttention: 'true' } }, 'body/filter/needsAttention'],
    [{ action: 'delete', filter: { createdAfter: 'yesterday' } }, 'body/filter/createdAfter must be an ISO 8601 time'],
    [[], 'body'],
    [null, 'body'],
  ])('of %j is refused', async (json, message) => {
    const { status, json: answer } = await bulk(json)
    expect([status, answer.error.code, answer.error.message]).toEqual([
      400,
      'invalid_request',
      expect.stringContaining(message),
    ])
  })

  it('of more than 100,000 is refused, with advice', async () => {
    const asked: number[] = []
    const crowded = await createHttpRig({
      store: (real) => ({
        ...real,
        overview: {
          ...real.overview,
          keys: (_, most) => {
            asked.push(most)
            return Promise.resolve(Array.from({ length: most }, (_unused, index) => index + 1))
          },
        },
      }),
    })
    try {
      const { status, json } = await crowded.call('POST', '/v1/bulk', { json: { action: 'delete', filter: {} } })
      expect([status, json.error.code]).toEqual([400, 'invalid_request'])
      expect(json.error.message).toContain('matches more than 100000 Executions: narrow it')
      expect(asked).toEqual([100_001])
    } finally {
      await crowded.close()
    }
  })

  it('ignores unknown members, like every body', async () => {
    expect((await run({ action: 'delete', ids: ['x'], more: 1 })).failed).toBe(1)
  })

  it.each(['blk_00000000000000000000000000', 'x', '%F0%9F%98%80', 'y'.repeat(5_000)])(
    '%s that there is not is 404',
    async (id) => {
      for (const [method, path] of [
        ['GET', `/v1/bulk/${id}`],
        ['POST', `/v1/bulk/${id}/stop`],
      ] as const) {
        const { status, json } = await rig.call(method, path)
        expect([status, json.error.code]).toEqual([404, 'bulk_not_found'])
      }
    },
  )
})

describe('deleting an Execution', () => {
  it('is 204 without a body, and the Execution no longer exists', async () => {
    const [id] = await startMany(1, { do: 'return' })
    await settle(id!)
    const { status, text, headers } = await rig.call('DELETE', `/v1/executions/${id!}`)
    expect([status, text, headers['content-type'], headers['cache-control']]).toEqual([204, '', undefined, 'no-store'])
    for (const path of ['', '/result', '/history']) {
      expect((await rig.call('GET', `/v1/executions/${id!}${path}`)).json.error.code).toBe('execution_not_found')
    }
    expect((await rig.call('DELETE', `/v1/executions/${id!}`)).json.error.code).toBe('execution_not_found')
    expect((await rig.call('POST', `/v1/executions/${id!}/cancel`)).json.error.code).toBe('execution_not_found')
  })

  it('is 409 before it has ended', async () => {
    const [id] = await startMany(1, { do: 'wait', for: 'go' })
    const { status, json } = await rig.call('DELETE', `/v1/executions/${id!}`)
    expect([status, json.error.code]).toEqual([409, 'execution_not_finished'])
    await rig.call('POST', `/v1/executions/${id!}/cancel`)
  })

  it('is 404 in another project, and for an invalid id', async () => {
    const [id] = await startMany(1, { do: 'return' })
    await settle(id!)
    const { json: project } = await rig.call('POST', '/v1/projects', { json: { name: 'elsewhere' } })
    const headers = { 'x-service-project-id': project.id as string }
    expect((await rig.call('DELETE', `/v1/executions/${id!}`, { headers })).json.error.code).toBe('execution_not_found')
    expect((await rig.call('DELETE', '/v1/executions/nonsense')).json.error.code).toBe('execution_not_found')
    expect((await rig.call('DELETE', `/local/v1/executions/${id!}`)).status).toBe(204)
  })

  it('lets the same Idempotency-Key start another one', async () => {
    const headers = { 'idempotency-key': 'once' }
    const startOnce = () => rig.call('POST', '/v1/executions', { json: { programId: 'hello' }, headers })
    const first = await startOnce()
    await settle(first.json.id)
    expect((await startOnce()).status).toBe(200)
    await rig.call('DELETE', `/v1/executions/${first.json.id}`)
    const second = await startOnce()
    expect([second.status, second.json.id === first.json.id]).toEqual([201, false])
  })

  it('is reported in the stream of changes', async () => {
    const [id] = await startMany(1, { do: 'return' })
    await settle(id!)
    const controller = new AbortController()
    const stream = await fetch(`${rig.origin}/local/v1/changes`, { signal: controller.signal })
    await rig.call('DELETE', `/v1/executions/${id!}`)
    let text = ''
    for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      if (text.includes('event: deleted\n')) break
    }
    controller.abort()
    const told = /event: deleted\ndata: (.*)\n\n/.exec(text)!
    expect(JSON.parse(told[1]!)).toEqual({
      executionId: id,
      programId: 'hello',
      projectId: 'default',
      status: 'completed',
      at: expect.stringMatching(/Z$/) as string,
    })
  })
})
