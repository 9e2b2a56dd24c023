// What the contract says, checked against `wes serve` as it really runs: its own PostgreSQL and Restate, callers with a token.
// Where one process does everything, it leaves the first start of each version to a visit, so nearly all tests run without
// a first turn in the start; hosted-roles.test.ts is the other way.

import { behaviourSuite } from '#runtime/behaviour/suite.test-support.ts'
import { startServeProcess } from '../serve-process.test-support.ts'
import { hostedService, MANY_REQUESTS } from './hosted-service.test-support.ts'

behaviourSuite('wes serve', { home: 'hosted', runsUploadedEffects: true }, async () => {
  const service = await startServeProcess(['--unsafe-effects', ...MANY_REQUESTS])
  const restart = async (): Promise<void> => {
    await service.kill()
    await service.start()
  }
  return hostedService(service, { restart, stop: async () => void (await service.dispose()) })
})
