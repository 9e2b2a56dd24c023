// Restate and workers as docs/operating.md sets them up: it signs what it asks for, they accept nothing else, and several
// of them share one address.

import pino from 'pino'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startTestRestate } from '#hosted/boot/restate.test-support.ts'
import { createRestateDeployments } from '#hosted/dispatch/restate-deployments.ts'
import { createRestateDispatcher } from '#hosted/dispatch/restate-dispatcher.ts'
import { startRestateEndpoint, type RestateEndpoint } from '#hosted/dispatch/restate-endpoint.ts'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { makeIdentity } from './restate-identity.test-support.ts'
import { startBalancer } from './role-process.test-support.ts'

const OF_ANOTHER = 'publickeyv1_AfQwmwfgEZhrWpvv8N52SHpRtZqGGaFr4AZN6qtYWSiY'

it('sends signed work, which workers of its key alone accept, to all workers behind one address', async () => {
  const folder = temporaryFolder('signed')
  const { publicKey, privateKeyFile } = makeIdentity(folder)
  expect(publicKey).toMatch(/^publickeyv1_[1-9A-Za-z]{40,44}$/)
  const restate = await startTestRestate({
    settings: {
      RESTATE_REQUEST_IDENTITY_PRIVATE_KEY_PEM_FILE: privateKeyFile,
      RESTATE_WORKER__INVOKER__HTTP2_STREAMS_PER_CONNECTION_LIMIT: '4',
    },
  })
  onTestFinished(restate.stop)

  const visitsBy: number[] = [0, 0]
  let finish = (): void => {}
  const isOver = new Promise<void>((resolve) => (finish = resolve))
  const startWorker = async (worker: number, key: string): Promise<RestateEndpoint> => {
    const visit = async () => {
      visitsBy[worker]! += 1
      await isOver
      return { attempts: [] }
    }
    const work = { visit, perform: async () => ({ kind: 'nothing' as const }), fire: async () => ({}) }
    const log = pino({ level: 'silent' })
    const endpoint = await startRestateEndpoint({ host: '127.0.0.1', port: 0, identityKeys: [key], work, log })
    onTestFinished(() => endpoint.stop(0))
    return endpoint
  }
  const deployments = createRestateDeployments([restate.adminUrl])
  const stranger = await startWorker(0, OF_ANOTHER)
  await expect(deployments.register(`http://127.0.0.1:${stranger.port}${stranger.path}`)).rejects.toThrow(/40\d|50\d/)

  const both = [await startWorker(0, publicKey), await startWorker(1, publicKey)]
  const balancer = await startBalancer(both.map(({ port }) => port))
  onTestFinished(balancer.close)
  await deployments.register(`http://127.0.0.1:${balancer.port}${both[0]!.path}`)
  const dispatcher = createRestateDispatcher([restate.ingressUrl])
  await Promise.all(Array.from({ length: 32 }, (_, index) => dispatcher.poke(`exe_${index}`, 'start')))
  await vi.waitUntil(() => visitsBy[0]! + visitsBy[1]! === 32)
  expect(Math.min(...visitsBy)).toBeGreaterThanOrEqual(8)
  finish()
})
