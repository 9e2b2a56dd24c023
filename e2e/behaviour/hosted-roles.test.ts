// What the contract says, checked against an API and a worker as processes of their own. There the API runs the first turn
// of an Execution within its start. `WES_BEHAVIOUR=whole` checks everything; otherwise only what a first turn may change.

import { startPostgresForTests } from '#hosted/boot/postgres-rig.test-support.ts'
import { startTestRestate } from '#hosted/boot/restate.test-support.ts'
import { freePorts } from '#hosted/boot/free-ports.ts'
import { newSecretKeyText } from '#hosted/environment/secret-keys.ts'
import { behaviourSuite } from '#runtime/behaviour/suite.test-support.ts'
import { migrate, startServe, urlAs } from '../hosted/role-process.test-support.ts'
import { hostedService, MANY_REQUESTS } from './hosted-service.test-support.ts'

const only = process.env['WES_BEHAVIOUR'] === 'whole' ? undefined : (['starts', 'history', 'order'] as const)

const makeService = async () => {
  const [postgres, restate] = await Promise.all([startPostgresForTests(), startTestRestate()])
  const env = {
    WES_MIGRATION_URL: postgres.ownerUrl,
    WES_DATABASE_URL: urlAs(postgres.ownerUrl, 'wes_server'),
    WES_RESTATE_URL: restate.ingressUrl,
    WES_RESTATE_ADMIN_URL: restate.adminUrl,
    WES_SECRET_KEY: newSecretKeyText('k1'),
  }
  const { code, err } = await migrate(env)
  if (code !== 0) throw new Error(err)
  const [apiPort = 0, workerPort = 0] = await freePorts([0, 0])
  const start = () =>
    Promise.all([
      startServe(['--role', 'api', '--port', `${apiPort}`, ...MANY_REQUESTS], env),
      startServe(['--role', 'worker', '--worker-port', `${workerPort}`, '--unsafe-effects'], env),
    ])
  const end = (signal: 'SIGTERM' | 'SIGKILL') => Promise.all(running.map((one) => one.end(signal)))
  let running = await start()
  const token = running[0].printed.get('token')
  if (token === undefined) throw new Error('the API printed no token')
  return hostedService(
    { url: `http://localhost:${apiPort}`, token },
    {
      restart: async () => {
        await end('SIGKILL')
        running = await start()
      },
      stop: async () => {
        await end('SIGTERM')
        await restate.stop()
      },
    },
  )
}

behaviourSuite('an API and a worker', { home: 'hosted', runsUploadedEffects: true }, makeService, only)
