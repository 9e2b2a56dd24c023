// The TypeScript client against `wes serve`, with a token.

import { vi } from 'vitest'
import { clientSuite } from '#sdk/real-service.test-support.ts'
import { startServeProcess } from '../serve-process.test-support.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })

const startService = async () => {
  const service = await startServeProcess(['--log-level', 'fatal'])
  return {
    options: { url: service.url, token: service.token },
    restart: async () => {
      await service.kill()
      await service.start()
    },
    stop: service.dispose,
  }
}

clientSuite('the hosted service', 'hosted', startService)
