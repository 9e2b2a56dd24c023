import { pino } from 'pino'
import { expect, it } from 'vitest'
import { systemClock } from '../../src-runtime/shared/clock.ts'
import { createIds } from '../../src-runtime/shared/ids.ts'
import { limitsWith } from '../limits/limits.ts'
import { hostedRig } from '../store/hosted-store-rig.test-support.ts'
import { createStartPlaces } from '../visits/start-places.ts'
import { createWorkspacePorts } from './workspace-ports.ts'

const rig = hostedRig()

it('checks deploys as those of their workspace, and refuses what is too many of one', async () => {
  const checked: (string | undefined)[] = []
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  const portsOf = createWorkspacePorts(
    {
      store: rig.store,
      limits: limitsWith({}),
      ids: createIds(rig.store.now),
      log: pino({ level: 'silent' }),
      onCommitted: () => {},
      onStop: () => {},
    },
    {
      hosts: {
        check: async (_source, tenant) => {
          checked.push(tenant)
          await ended
          return { ok: true }
        },
      },
      visitors: { poke: () => Promise.resolve() },
      startPlaces: createStartPlaces(systemClock.monotonic),
      changesOf: () => ({ whenTerminal: () => () => {}, stream: () => () => () => {} }),
    },
  )
  const check = (workspaceId: string) =>
    portsOf({ workspaceId, defaultProjectId: 'prj_1' }).hosts.check({ code: '({ run() {} })' })
  const accepted = Array.from({ length: 100 }, () => check('wsp_1'))
  await expect(check('wsp_1')).rejects.toMatchObject({ code: 'rate_limited' })
  accepted.push(check('wsp_2'))
  expect(checked).toEqual([...Array<string>(100).fill('wsp_1'), 'wsp_2'])
  end()
  await Promise.all(accepted)
})
