// The recorded conversations of fixtures/http, against `wes serve`. Each has a workspace of its own. With RECORD_FIXTURES=1
// it writes down those that only the hosted service answers.

import { afterAll, beforeAll } from 'vitest'
import { conversationSuite, hold } from '#runtime/behaviour/conversations.test-support.ts'
import { recordConversation } from '#runtime/behaviour/record-conversation.test-support.ts'
import { type ServeProcess, startServeProcess } from '../serve-process.test-support.ts'

const START_LIMIT_MS = 120_000

let service: ServeProcess
beforeAll(async () => {
  service = await startServeProcess()
}, START_LIMIT_MS)
afterAll(() => service.dispose(), START_LIMIT_MS)

let workspaces = 0

const features = { home: 'hosted', runsUploadedEffects: true } as const

const makeService = async () => ({
  url: service.url,
  headers: { authorization: `Bearer ${await service.tokenOf(`Workspace ${++workspaces}`)}` },
  stop: async () => {},
})

const record: typeof recordConversation = async (newcomer, file, conversation) =>
  conversation.home === 'hosted'
    ? recordConversation(newcomer, file, conversation)
    : hold(newcomer, 'hosted', conversation.exchanges)

conversationSuite('wes serve', features, makeService, process.env['RECORD_FIXTURES'] === '1' ? record : undefined)
