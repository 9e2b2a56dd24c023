import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpRig, type HttpRig, SOURCE_WARNING } from './http-rig.test-support.ts'

let rig: HttpRig
beforeAll(async () => {
  rig = await createHttpRig()
})
afterAll(() => rig.close())

const get = async (path: string) => (await rig.call('GET', path)).json

describe('the runtime', () => {
  it('describes itself and its processes', async () => {
    expect(await get('/v1/runtime')).toEqual({
      version: '0.0.0-test',
      pid: process.pid,
      port: rig.port,
      dataDir: expect.any(String) as string,
      dataBytes: expect.any(Number) as number,
      diskIsFull: false,
      startedAt: expect.stringMatching(/Z$/) as string,
      eventLoopDelayP99Ms: 1.5,
      hosts: [{ kind: 'program', role: 'shared', state: 'ready', pid: process.pid, rssBytes: 1024, busy: 1 }],
    })
  })

  it('describes the project folder', async () => {
    expect(await get('/v1/source')).toMatchObject({
      watching: false,
      projectId: 'default',
      programs: [{ id: 'hello', path: 'programs/hello.ts' }],
      errors: [],
      warnings: [SOURCE_WARNING],
    })
  })
})
