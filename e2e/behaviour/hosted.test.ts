// What the contract says, checked against `wes serve` as it really runs: its own PostgreSQL and Restate, callers with a token.

import { behaviourSuite } from '#runtime/behaviour/suite.test-support.ts'
import { startServeProcess } from '../serve-process.test-support.ts'

behaviourSuite('wes serve', { home: 'hosted', runsUploadedEffects: true }, async () => {
  const service = await startServeProcess()
  return {
    url: service.url,
    headers: { authorization: `Bearer ${service.token}` },
    restart: async () => {
      await service.kill()
      await service.start()
    },
    stop: async () => void (await service.dispose()),
  }
})
