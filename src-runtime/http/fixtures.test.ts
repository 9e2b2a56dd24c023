// Holds every conversation in fixtures/http against a runtime. With RECORD_FIXTURES=1 it writes down what the runtime
// answers instead; read the difference before you commit it.

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { errorCodes, errorStatuses, type ErrorCode } from '../contract/errors.ts'
import { operationsOf } from '../contract/operations.ts'
import { createRuntime } from '../create-runtime.ts'
import {
  ask,
  differences,
  newSamples,
  toFixture,
  type Answered,
  type Conversation,
  type Exchange,
  type Samples,
} from './conversation.test-support.ts'

const FOLDER = join(import.meta.dirname, '../../fixtures/http')
const RECORDING = process.env['RECORD_FIXTURES'] === '1'
/** Headers that a recording keeps. */
const KEPT_HEADERS = ['allow', 'location', 'preference-applied', 'retry-after']
const EVENTUALLY_MS = 20_000
/** Each conversation has a runtime of its own, which starts a process for its turns and one for each deployment. */
const CONVERSATION_MS = 60_000

const conversations = readdirSync(FOLDER).map((file) => ({
  file,
  conversation: JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Conversation,
}))

const withRuntime = async (play: (origin: string) => Promise<void>) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'wes-fixtures-'))
  const runtime = await createRuntime({ dataDir, port: 0, projectFolder: dataDir, log: pino({ level: 'silent' }) })
  try {
    await play(runtime.url)
  } finally {
    await runtime.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const askUntil = async (
  origin: string,
  exchange: Exchange,
  samples: Samples,
  isGood: (answered: Answered) => boolean,
) => {
  const deadline = performance.now() + (exchange.eventually === true ? EVENTUALLY_MS : 0)
  for (;;) {
    const answered = await ask(origin, exchange, samples)
    if (isGood(answered) || performance.now() > deadline) return answered
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

const record = async (file: string, conversation: Conversation, origin: string) => {
  const samples = newSamples()
  const exchanges: Exchange[] = []
  for (const exchange of conversation.exchanges) {
    // What was recorded before says when to stop asking.
    const wanted = (exchange.answer as Exchange['answer'] | undefined)?.body
    const status = (body: unknown) => (body as { status?: unknown } | undefined)?.status
    const answered = await askUntil(origin, exchange, samples, ({ body }) => status(body) === status(wanted))
    if (answered.status === 500) throw new Error(`${exchange.name}: the runtime is at fault, nothing is recorded`)
    exchanges.push({ ...exchange, answer: toFixture(answered, KEPT_HEADERS, samples) })
  }
  writeFileSync(join(FOLDER, file), `${JSON.stringify({ ...conversation, exchanges }, null, 2)}\n`)
}

describe.each(conversations.filter(({ conversation }) => conversation.replayOnly !== true))(
  'the conversation in $file',
  { timeout: CONVERSATION_MS },
  ({ file, conversation }) => {
    it(`is unchanged: ${conversation.about}`, async () => {
      await withRuntime(async (origin) => {
        if (RECORDING) return record(file, conversation, origin)
        const samples = newSamples()
        for (const exchange of conversation.exchanges) {
          let found: readonly string[] = []
          await askUntil(origin, exchange, samples, (answered) => {
            found = differences(exchange.answer, answered, samples)
            return found.length === 0
          })
          expect(found, exchange.name).toEqual([])
        }
      })
    })
  },
)

describe('all conversations together', () => {
  const exchanges = conversations.flatMap(({ conversation }) => conversation.exchanges)

  it('contain every operation, with each of its successes', () => {
    const missing = operationsOf('local').flatMap(([name, { method, path, answers }]) => {
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
  })

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
