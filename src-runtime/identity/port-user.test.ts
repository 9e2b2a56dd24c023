import { expect, it, onTestFinished } from 'vitest'
import { type Answer, json, startScriptedServer } from '../../src-sdk/scripted-server.test-support.ts'
import { findPortUser } from './port-user.ts'

const userOf = async (answers: Readonly<Record<string, unknown>>) => {
  const answer: Answer = (request, response) => json(200, answers[request.url] ?? {})(request, response)
  const server = await startScriptedServer(answer)
  onTestFinished(server.close)
  const user = await findPortUser(server.port)
  return { ...user, asked: server.seen.map(({ url }) => url).toSorted() }
}

const HEALTH = { service: 'workflow-execution-service', mode: 'local', version: '1.2.3' }

it('says which runtime uses the port, also if its project has thousands of files', async () => {
  const programs = Array.from({ length: 5_000 }, (_, index) => ({
    id: `program-${index}`,
    path: `programs/${index}.ts`,
  }))
  const { holder, runtime } = await userOf({
    '/healthz': HEALTH,
    '/v1/runtime': { pid: 1, dataDir: '/data' },
    '/v1/source': { programs, folder: '/shop' },
  })
  expect(holder?.pid).toBe(process.pid)
  expect(runtime).toEqual({ version: '1.2.3', pid: process.pid, dataDirectory: '/data', projectFolder: '/shop' })
})

it('says less of a runtime that requires a token', async () => {
  const refused = { error: { code: 'unauthorized' } }
  const { runtime } = await userOf({ '/healthz': HEALTH, '/v1/runtime': refused, '/v1/source': refused })
  expect(runtime).toEqual({ version: '1.2.3', pid: process.pid, dataDirectory: null, projectFolder: null })
})

it.each([{}, { ...HEALTH, mode: 'hosted' }, { service: 'another' }])(
  'asks who it is, and nothing else, of what is not a local runtime',
  async (health) => {
    const { runtime, asked } = await userOf({ '/healthz': health })
    expect([runtime, asked]).toEqual([undefined, ['/healthz']])
  },
)
