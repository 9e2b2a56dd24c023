import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { listening } from './listening.test-support.ts'
import { createRestateDeployments } from './restate-deployments.ts'

it('asks once for a visit after each invocation that it ends, however long that takes to be gone', async () => {
  const deployment = 'dp_removed'
  const visit = { id: 'inv_1', service: 'Execution', key: 'exe_1', deployment }
  const effect = { id: 'inv_2', service: 'Effect', key: 'exe_2.7', deployment }
  const later = { id: 'inv_3', service: 'Execution', key: 'exe_3', deployment }
  const unfinished = [[visit, effect], [visit, effect, later], [later], []]
  const killed: string[] = []
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request
    if (method === 'PATCH') killed.push(url)
    if (url === '/query') return void response.end(JSON.stringify({ rows: unfinished.shift() }))
    const deployments = [{ id: 'dp_1', uri: 'http://127.0.0.1:9', created_at: '2026-11-20T10:00:00Z' }]
    response.end(method === 'GET' ? JSON.stringify({ deployments }) : '')
  })
  const asked: string[] = []
  const dispatcher = { poke: async (id: string, why: string) => void asked.push(`${id} ${why}`) }
  const url = await listening(server)

  expect(await createRestateDeployments([url], dispatcher).endOrphans()).toBe(3)
  expect(asked).toEqual(['exe_1 sweep', 'exe_2 sweep', 'exe_3 sweep'])
  expect(new Set(killed)).toEqual(new Set([1, 2, 3].map((n) => `/invocations/inv_${n}/kill`)))
})

it('ends all others while the message for one Execution cannot be sent', async () => {
  const orphanOf = (n: number) => ({ id: `inv_${n}`, service: 'Execution', key: `exe_${n}`, deployment: 'dp_removed' })
  let unfinished = Array.from({ length: 450 }, (_, n) => orphanOf(n))
  const othersEnded = Promise.withResolvers<void>()
  const deployments = [{ id: 'dp_1', uri: 'http://127.0.0.1:9', created_at: '2026-11-20T10:00:00Z' }]
  const server = createServer((request, response) => {
    const { method, url } = request
    unfinished = unfinished.filter(({ id }) => method !== 'PATCH' || url !== `/invocations/${id}/kill`)
    if (unfinished.length === 1) othersEnded.resolve()
    void text(request).then((body) => {
      const rows = unfinished.slice(0, Number(/LIMIT (\d+)/.exec(body)?.[1]))
      response.end(JSON.stringify(url === '/query' ? { rows } : { deployments }))
    })
  })
  let isSent = false
  const poke = async (id: string): Promise<void> => {
    if (id !== 'exe_0') return
    await othersEnded.promise
    isSent = unfinished.some(({ key }) => key === id)
  }
  const url = await listening(server)

  expect(await createRestateDeployments([url], { poke }).endOrphans()).toBe(450)
  expect(isSent).toBe(true)
})

it('waits no longer once Restate shows for 10 s nothing but what was ended', async () => {
  const shown = { id: 'inv_1', service: 'Execution', key: 'exe_1', deployment: 'dp_removed' }
  const deployments = [{ id: 'dp_1', uri: 'http://127.0.0.1:9', created_at: '2026-11-20T10:00:00Z' }]
  const server = createServer(({ method, url }, response) => {
    if (url === '/query') return void response.end(JSON.stringify({ rows: [shown] }))
    response.end(method === 'GET' ? JSON.stringify({ deployments }) : '')
  })
  const url = await listening(server)
  expect(await createRestateDeployments([url]).endOrphans()).toBe(1)
})

it('leaves the work of a deployment that is registered while others are looked for', async () => {
  const orphan = { id: 'inv_1', service: 'Execution', key: 'exe_1', deployment: 'dp_removed' }
  const work = { id: 'inv_2', service: 'Execution', key: 'exe_2', deployment: 'dp_new' }
  const known = ['dp_1']
  let unfinished = [orphan]
  const killed: string[] = []
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request
    if (method === 'PATCH') {
      killed.push(url)
      unfinished = unfinished.filter(({ id }) => !url.includes(id))
    }
    if (url !== '/query') {
      const deployments = known.map((id) => ({ id, uri: `http://${id}`, created_at: '2026-11-20T10:00:00Z' }))
      return void response.end(method === 'GET' ? JSON.stringify({ deployments }) : '')
    }
    // A new worker comes, and begins its work, between the answer before and this one.
    if (!known.includes('dp_new')) {
      known.push('dp_new')
      unfinished.push(work)
    }
    void text(request).then((query) => {
      const rows = unfinished.filter(({ deployment }) => !query.includes(`'${deployment}'`))
      response.end(JSON.stringify({ rows }))
    })
  })
  const url = await listening(server)
  expect(await createRestateDeployments([url]).endOrphans()).toBe(1)
  expect(killed).toEqual(['/invocations/inv_1/kill'])
})
