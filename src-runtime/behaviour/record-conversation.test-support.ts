// Writes down what a service answers, for fixtures/http.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toFixture, type Conversation, type Exchange } from './conversation.test-support.ts'
import { askUntil, FIXTURES, samplesOf } from './conversations.test-support.ts'
import type { Service } from './service.test-support.ts'

/** Headers that a recording keeps. */
const KEPT_HEADERS = ['allow', 'etag', 'location', 'preference-applied', 'retry-after']

export const recordConversation = async (service: Service, file: string, conversation: Conversation): Promise<void> => {
  const samples = await samplesOf(service)
  const exchanges: Exchange[] = []
  for (const exchange of conversation.exchanges) {
    // What was recorded before says when to stop asking.
    const wanted = (exchange.answer as Exchange['answer'] | undefined)?.body
    const status = (body: unknown) => (body as { status?: unknown } | undefined)?.status
    const answered = await askUntil(service, exchange, samples, ({ body }) => status(body) === status(wanted))
    if (answered.status === 500) throw new Error(`${exchange.name}: the runtime is at fault, nothing is recorded`)
    exchanges.push({ ...exchange, answer: toFixture(answered, KEPT_HEADERS, samples) })
  }
  writeFileSync(join(FIXTURES, file), `${JSON.stringify({ ...conversation, exchanges }, null, 2)}\n`)
}
