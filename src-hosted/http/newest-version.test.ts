// Which version a start gets while several processes deploy and start.

import { expect, it, onTestFinished } from 'vitest'
import { openHostedStore } from '../store/open-hosted-store.ts'
import { hostedHttpRig } from './hosted-http-rig.test-support.ts'

const rig = hostedHttpRig()

it('starts the newest version, though another process has deployed it', async () => {
  const { deploy, call, workspaceId, projectId } = await rig.newTenant()
  const accepting = (type: string) => ({ manifest: { inputSchema: { type } } })
  const start = async (input: unknown) => {
    const { status, json } = await call('POST', '/v1/executions', { json: { programId: 'order', input } })
    return status === 201 ? json.versionNumber : json.error.code
  }
  const other = await openHostedStore({ url: rig.hosted.url, connections: { app: 1, worker: 1 } })
  onTestFinished(other.close)
  const deployElsewhere = (id: string, type: string) =>
    other.forWorkspace(workspaceId).programs.deploy({
      ...{ id, projectId, programId: 'order', digest: id, origin: 'upload', runnable: true, createdAt: 0 },
      ...{ code: '({ run: () => 1 })', manifest: JSON.stringify(accepting(type).manifest) },
    })
  const { programs } = rig.hosted.store.forWorkspace(workspaceId)
  const known = async () => (await programs.newestRunnable(projectId, 'order'))?.number

  await deploy('order', accepting('object'))
  expect(await start({})).toBe(1)
  await deployElsewhere('ver_second', 'object')
  expect(await known()).toBe(1)
  expect(await start({})).toBe(2)
  expect(await known()).toBe(2)
  await deployElsewhere('ver_third', 'number')
  expect(await start(5)).toBe(3)
  await deployElsewhere('ver_fourth', 'object')
  expect(await start(5)).toBe('invalid_input')
  expect(await start({})).toBe(4)
})
