// Holds every conversation in fixtures/http against a home.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Home } from '../contract/operation-spec.ts'
import {
  ask,
  differences,
  newSamples,
  type Answered,
  type Conversation,
  type Exchange,
  type Json,
  type Samples,
} from './conversation.test-support.ts'
import type { Features, MakeService, Service } from './service.test-support.ts'
import { talkTo } from './talk.test-support.ts'

export const FIXTURES = join(import.meta.dirname, '../../fixtures/http')
const EVENTUALLY_MS = 60_000

export const conversations = readdirSync(FIXTURES).map((file) => ({
  file,
  conversation: JSON.parse(readFileSync(join(FIXTURES, file), 'utf8')) as Conversation,
}))

export const askUntil = async (
  service: Service,
  exchange: Exchange,
  samples: Samples,
  isGood: (answered: Answered) => boolean,
): Promise<Answered> => {
  const deadline = performance.now() + (exchange.eventually === true ? EVENTUALLY_MS : 0)
  for (;;) {
    const answered = await ask(service, exchange, samples)
    if (isGood(answered) || performance.now() > deadline) return answered
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

export const samplesOf = async (service: Service): Promise<Samples> =>
  newSamples((await talkTo(() => service).get('/v1/projects')).items[0].id as string)

/** What an Execution shows once it has begun. */
const PROGRESS = new Set(['status', 'waitingFor', 'startedAt', 'finishedAt', 'result', 'error'])

/** A hosted service may have run an Execution before it answers the start that a local runtime answers with `queued`. */
const aheadOf = (expected: Exchange['answer'], answered: Answered): [Exchange['answer'], Answered] => {
  const [was, is] = [membersOf(expected.body), membersOf(answered.body)]
  if (was?.['status'] !== 'queued' || is === undefined || is['status'] === 'queued') return [expected, answered]
  return [
    { ...expected, body: withoutProgress(was) },
    { ...answered, body: withoutProgress(is) },
  ]
}

const membersOf = (body: Json | undefined): Readonly<Record<string, Json>> | undefined =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Record<string, Json>) : undefined

const withoutProgress = (body: Readonly<Record<string, Json>>): Json =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !PROGRESS.has(name)))

/** Passes over what only the other home answers so. */
export const hold = async (service: Service, home: Home, exchanges: readonly Exchange[]): Promise<void> => {
  const samples = await samplesOf(service)
  for (const exchange of exchanges) {
    if (exchange.home !== undefined && exchange.home !== home) continue
    let found: readonly string[] = []
    await askUntil(service, exchange, samples, (answered) => {
      const [expected, actual] =
        home === 'hosted' ? aheadOf(exchange.answer, answered) : ([exchange.answer, answered] as const)
      found = differences(expected, actual, samples)
      return found.length === 0
    })
    expect(found, exchange.name).toEqual([])
  }
}

/** A conversation is held against a fresh service, unless `expectOrRecord` does something else with it. */
export const conversationSuite = (
  name: string,
  { home }: Features,
  makeService: MakeService,
  expectOrRecord: (service: Service, file: string, conversation: Conversation) => Promise<void> = (
    service,
    _file,
    { exchanges },
  ) => hold(service, home, exchanges),
): void => {
  const held = conversations.filter(
    ({ conversation: { replayOnly, home: only } }) => replayOnly !== true && (only === undefined || only === home),
  )
  describe.each(held)(`the conversation of ${name} in $file`, ({ file, conversation }) => {
    it(`is unchanged: ${conversation.about}`, async () => {
      const service = await makeService()
      try {
        await expectOrRecord(service, file, conversation)
      } finally {
        await service.stop()
      }
    })
  })
}
