// Holds every conversation in fixtures/http against a runtime. With RECORD_FIXTURES=1 it writes down what the runtime
// answers instead; read the difference before you commit it.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { errorCodes, errorStatuses, type ErrorCode } from '../contract/errors.ts'
import { operationsOf } from '../contract/operations.ts'
import { createRuntime } from '../create-runtime.ts'
import { conversations, conversationSuite } from './conversations.test-support.ts'
import { recordConversation } from './record-conversation.test-support.ts'
import type { Service } from './service.test-support.ts'

const RECORDING = process.env['RECORD_FIXTURES'] === '1'

const makeService = async (): Promise<Service> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'wes-fixtures-'))
  const runtime = await createRuntime({ dataDir, port: 0, projectFolder: dataDir, log: pino({ level: 'silent' }) })
  return {
    url: runtime.url,
    headers: {},
    stop: async () => {
      await runtime.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

conversationSuite(
  'a local runtime',
  { home: 'local', runsUploadedEffects: false },
  makeService,
  RECORDING ? recordConversation : undefined,
)

describe('all conversations together', () => {
  const exchanges = conversations.flatMap(({ conversation }) => conversation.exchanges)

  it.each(['local', 'hosted'] as const)(
    'contain every operation of a %s service, with each of its successes',
    (home) => {
      const missing = operationsOf(home).flatMap(([name, { method, path, answers }]) => {
        const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)
        const statuses = exchanges
          .filter(({ request }) => request.method === method && pattern.test(request.path.split('?')[0]!))
          .map(({ answer }) => answer.status)
        return Object.keys(answers)
          .filter((status) => !statuses.includes(Number(status)))
          .map((status) => `${name} ${status}`)
      })
      // The stream has no end, and so no answer to write down.
      expect(missing).toEqual(['streamChanges 200'])
    },
  )

  it('contain every error code, with its status', () => {
    const shown = exchanges.flatMap(({ answer: { status, body } }) => {
      const code = (body as { error?: { code?: ErrorCode } } | undefined)?.error?.code
      return status >= 400 && code !== undefined ? [[code, status] as const] : []
    })
    expect(shown.filter(([code, status]) => errorStatuses[code] !== status)).toEqual([])
    const codes = new Set(shown.map(([code]) => code))
    expect(errorCodes.filter((code) => !codes.has(code))).toEqual([])
  })
})
