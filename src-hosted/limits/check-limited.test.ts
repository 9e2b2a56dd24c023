import pino from 'pino'
import { expect, it } from 'vitest'
import { hostedRig } from '../store/hosted-store-rig.test-support.ts'
import { checkLimited } from './check-limited.ts'

const rig = hostedRig()

it('says at a start which workspaces have limits and do not exist, and nothing of the others', async () => {
  const lines: unknown[] = []
  const log = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(JSON.parse(line)) })
  const { workspaceId } = await rig.newWorkspace()
  await checkLimited(rig.store.workspaces, [workspaceId], log)
  expect(lines).toEqual([])
  await checkLimited(rig.store.workspaces, [workspaceId, 'wsp_1'], log)
  expect(lines).toEqual([{ level: 40, workspaces: ['wsp_1'], msg: '--limits names workspaces that do not exist here' }])
})
