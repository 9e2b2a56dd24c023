// The recorded conversations of fixtures/http, against `wes serve`. Each has a workspace of its own.

import { afterAll, beforeAll } from 'vitest'
import { conversationSuite } from '#runtime/behaviour/conversations.test-support.ts'
import { type ServeProcess, startServeProcess } from '../serve-process.test-support.ts'

const START_LIMIT_MS = 120_000

let service: ServeProcess
beforeAll(async () => {
  service = await startServeProcess()
}, START_LIMIT_MS)
afterAll(() => service.dispose(), START_LIMIT_MS)

let workspaces = 0

conversationSuite('wes serve', { home: 'hosted', runsUploadedEffects: true }, async () => ({
  url: service.url,
  headers: { authorization: `Bearer ${await service.tokenOf(`Workspace ${++workspaces}`)}` },
  stop: async () => {},
}))
