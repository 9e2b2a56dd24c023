import { expect, it } from 'vitest'
import { limitsWith } from '../limits/limits.ts'
import { createQuota } from '../limits/quota.ts'
import { hostedHttpRig } from './hosted-http-rig.test-support.ts'

const rig = hostedHttpRig({ default: { storedBytes: 200, requestsPerSecond: 1, requestBurst: 30 } })

it('starts and deploys nothing in a workspace that stores more than it may, and goes on with the rest', async () => {
  const { call, deploy, start } = await rig.newTenant()
  await deploy('hello')
  const id = await start('hello', 'x'.repeat(300))
  await rig.hosted.store.usage.fold()
  const refused = async (method: string, path: string, json: unknown) => {
    const answer = await call(method, path, { json })
    return [answer.status, answer.json.error?.code, answer.headers['retry-after']]
  }
  // What is stored is asked for every few seconds.
  await expect
    .poll(() => refused('POST', '/v1/executions', { programId: 'hello' }), { timeout: 8_000, interval: 1_000 })
    .toEqual([429, 'quota_exceeded', '60'])
  const other = { format: 'wes.program/1', id: 'other', program: { code: '({ run() {} })' } }
  expect(await refused('POST', '/v1/programs/deploy', other)).toEqual([429, 'quota_exceeded', '60'])
  expect((await call('POST', '/v1/programs/deploy', { json: other })).json.error.message).toMatch(
    /^This workspace stores [\d.]+ (Ki)?B, over its limit of 200 B: delete /,
  )
  expect((await call('POST', `/v1/executions/${id}/cancel`)).status).toBe(202)
  expect((await call('GET', '/v1/executions')).status).toBe(200)
})

it('asks again for what is stored after the database could not say it', async () => {
  const answers = [Promise.reject(new Error('away')), Promise.resolve(1)]
  const quota = createQuota({ storedBytes: () => answers.shift()! }, limitsWith({}), () => 0)
  await expect(quota.check('wsp_1')).rejects.toThrow('away')
  expect(await quota.check('wsp_1')).toBeUndefined()
})

it('lets a token send so many requests, and another one its own', async () => {
  const { call } = await rig.newTenant()
  let last = await call('GET', '/v1/projects', { as: 'read' })
  for (let count = 0; count < 60 && last.status === 200; count += 1)
    last = await call('GET', '/v1/projects', { as: 'read' })
  expect([last.status, last.json.error.code, last.headers['retry-after']]).toEqual([429, 'rate_limited', '1'])
  expect((await call('GET', '/v1/projects', { as: 'write' })).status).toBe(200)
})
