import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeApi } from './describe-api.ts'
import { createHttpRig, INSTANCE_ID, SECRET, type HttpRig } from './http-rig.test-support.ts'

let rig: HttpRig
beforeAll(async () => {
  rig = await createHttpRig()
})
afterAll(() => rig.close())

describe('the health of a runtime', () => {
  it('contains its version, and no data of the user', async () => {
    const answer = await rig.call('GET', '/healthz')
    expect(answer.json).toEqual({
      service: 'workflow-execution-service',
      mode: 'local',
      version: '0.0.0-test',
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      features: expect.arrayContaining(['label', 'start-wait', 'event-keys']) as string[],
    })
  })

  it.each(['x'.repeat(32), 'Az09-_'.repeat(20), 'x'.repeat(128)])('has a proof for %s', async (challenge) => {
    const { json } = await rig.call('GET', `/healthz?challenge=${challenge}`)
    const proof = createHmac('sha256', SECRET)
      .update(`wes-healthz-1\n${challenge}\n${INSTANCE_ID}\n${rig.port}`)
      .digest('base64url')
    expect(json).toMatchObject({ instanceId: INSTANCE_ID, port: rig.port, proof })
  })

  it.each(['', 'x'.repeat(31), 'x'.repeat(129), `${'x'.repeat(40)}%0A`, `${'x'.repeat(40)}=`, `${'x'.repeat(40)}+`])(
    'is refused with the challenge "%s"',
    async (challenge) => {
      const answer = await rig.call('GET', `/healthz?challenge=${challenge}`)
      expect([answer.status, answer.json.error.code]).toEqual([400, 'invalid_request'])
    },
  )
})

describe('the description of the API', () => {
  it('is OpenAPI 3.1, with every route', async () => {
    const { json } = await rig.call('GET', '/openapi.json')
    expect(json.openapi).toBe('3.1.0')
    expect(json.servers[0].url).toBe('/')
    expect(Object.keys(json.paths)).toContain('/v1/executions/{id}/result')
  })

  it('is made once, as the bytes that are sent', () => {
    const describe = describeApi({ home: 'hosted', version: '1.2.3' })
    const { bytes, json } = describe()
    expect(Buffer.from(bytes!).toString()).toBe(json)
    expect(describe().bytes).toBe(bytes)
  })
})
