// Callers: they start, send, cancel, read and call the webhook, and note what was acknowledged.

import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceRuntimeError } from '#sdk/index.ts'
import type { Acknowledged } from '../check-journal.ts'
import type { Random } from '../random.ts'
import { TICKS, type ProgramId } from './project.ts'
import { ANSWER_LIMIT_MS, type ChaosService } from './service.ts'

export type Load = {
  readonly acknowledged: Acknowledged<ProgramId>[]
  /** Answers that no fault explains. */
  readonly surprises: string[]
  calls: number
  /** Ends the calls that are under way. */
  stop(): Promise<void>
}

/** The maximum number of unfinished Executions. */
const MOST_OPEN = 80
const CALLERS = 5
const PAUSE_MS = 50

/** `isHostile`: some Programs and effects end their processes. */
export const startLoad = (service: ChaosService, random: Random, isHostile: boolean): Load => {
  let isOn = true
  const load: Load = {
    acknowledged: [],
    surprises: [],
    calls: 0,
    stop: async () => {
      isOn = false
      await callers
    },
  }
  const callers = Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (isOn) {
        await callOnce(service, random, load, isHostile)
        load.calls += 1
        await sleep(PAUSE_MS)
      }
    }),
  )
  return load
}

const callOnce = async (service: ChaosService, random: Random, load: Load, isHostile: boolean): Promise<void> => {
  try {
    await callAny(service, random, load, isHostile)
  } catch (error) {
    if (!isExplained(error)) load.surprises.push(String(error instanceof Error ? error.stack : error))
  }
}

/** No answer, an answer that the service is unavailable, or one that the Execution has ended. */
const isExplained = (error: unknown): boolean =>
  error instanceof ServiceRuntimeError &&
  (error.status === 0 || error.status === 503 || error.code === 'execution_finished')

const callAny = async (service: ChaosService, random: Random, load: Load, isHostile: boolean): Promise<void> => {
  const { client } = service
  const { acknowledged } = load
  const open = acknowledged.filter(
    ({ program, cancelled }) => (program === 'mixed' || program === 'tally') && !cancelled,
  )
  const pick = open[random.below(open.length)]
  const dice = random.unit()
  if (pick === undefined || (dice < 0.3 && open.length < MOST_OPEN)) return start(service, random, load, isHostile)
  if (dice < 0.4) return callWebhook(service, random, load)
  if (dice < 0.86) {
    const value = random.below(100)
    const { id } = await client.sendEvent(pick.id, 'tick', value)
    return void pick.events.set(id, value)
  }
  if (dice < 0.9) {
    pick.cancelled = 'unanswered'
    await client.cancelExecution(pick.id)
    pick.cancelled = true
    return
  }
  if (dice < 0.96) {
    const view = await client.getResult(pick.id)
    if (view.status === 'completed') pick.result = view.result
    return
  }
  await client.listExecutions({ limit: 20 })
}

const STARTED: readonly ProgramId[] = ['mixed', 'mixed', 'tally', 'untouched', 'untouched', 'slow']

const HOSTILE_SHARE = 0.03
const MOST_LOOPING = 4

/** Each load has one `hostile` at most, and some that loop: they take a core for many seconds. */
const chooseProgram = (random: Random, { acknowledged }: Load, isHostile: boolean): ProgramId => {
  if (!isHostile || random.unit() >= HOSTILE_SHARE) return STARTED[random.below(STARTED.length)]!
  const count = (id: ProgramId): number => acknowledged.filter(({ program }) => program === id).length
  if (count('looping') < MOST_LOOPING) return 'looping'
  return count('hostile') === 0 ? 'hostile' : 'crashing'
}

const start = async ({ client }: ChaosService, random: Random, load: Load, isHostile: boolean): Promise<void> => {
  const program = chooseProgram(random, load, isHostile)
  const n = random.below(1_000_000)
  const note = (id: string): void =>
    void load.acknowledged.push({ id, program, n, events: new Map(), cancelled: false })
  if (random.unit() < 0.5) return note((await client.start(program, { n })).id)
  const idempotencyKey = `start-${n}-${random.below(1_000_000)}`
  const once = (): Promise<string> => client.start(program, { n }, { idempotencyKey }).then(({ id }) => id)
  // Without an answer, the same request is sent again until there is one; and sometimes although there was one.
  const first = await untilAnswered(once)
  if (first === undefined) return
  note(first)
  if (random.unit() > 0.2) return
  const again = await untilAnswered(once)
  if (again !== undefined && again !== first) {
    load.surprises.push(`the Idempotency-Key ${idempotencyKey} started ${first} and ${again}`)
  }
}

const TRIES = 20

/** `undefined`: there never was an answer. */
const untilAnswered = async <Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> => {
  for (let tried = 0; tried < TRIES; tried += 1) {
    try {
      return await ask()
    } catch (error) {
      if (!isExplained(error)) throw error
      await sleep(500)
    }
  }
  return undefined
}

/** As Standard Webhooks says. */
const signatureOf = (secret: string, id: string, body: string): Readonly<Record<string, string>> => {
  const at = String(Math.floor(Date.now() / 1_000))
  const mac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64')).update(`${id}.${at}.${body}`)
  return { 'webhook-timestamp': at, 'webhook-signature': `v1,${mac.digest('base64')}` }
}

const callWebhook = async (
  { webhook, signedWebhook, noteLeaks }: ChaosService,
  random: Random,
  load: Load,
): Promise<void> => {
  const n = random.below(1_000_000)
  const id = `call-${n}-${random.below(1_000_000)}`
  const body = JSON.stringify({ n })
  const { url, secret } = random.unit() < 0.5 ? signedWebhook : webhook
  const call = async (): Promise<string | undefined> => {
    const signature = secret === undefined ? {} : signatureOf(secret, id, body)
    const answer = await fetch(url!, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'webhook-id': id, ...signature },
      body,
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    }).catch(() => undefined)
    if (answer === undefined) return undefined
    const text = await answer.text().catch(() => '')
    noteLeaks('a webhook', JSON.stringify([...answer.headers]) + text)
    if (answer.status === 503) return undefined
    if (answer.status === 202)
      return text === '' ? undefined : (JSON.parse(text) as { executionId: string }).executionId
    load.surprises.push(`the webhook answered ${answer.status}: ${text}`)
    return undefined
  }
  const first = (await call()) ?? (await call())
  if (first === undefined) return
  load.acknowledged.push({ id: first, program: 'triggered', n, events: new Map(), cancelled: false })
  const again = random.unit() < 0.2 ? await call() : undefined
  if (again !== undefined && again !== first) load.surprises.push(`the webhook-id ${id} started ${first} and ${again}`)
}

/** Sends what `mixed` and `tally` still wait for, so that every Execution ends. */
export const sendLastTicks = async ({ client }: ChaosService, { acknowledged }: Load): Promise<void> => {
  const open = acknowledged.filter(({ program }) => program === 'mixed' || program === 'tally').values()
  const sender = async (): Promise<void> => {
    for (const one of open) {
      for (let tick = one.events.size; tick < TICKS; tick += 1) {
        try {
          one.events.set((await client.sendEvent(one.id, 'tick', 1)).id, 1)
        } catch (error) {
          if (!(error instanceof ServiceRuntimeError && error.code === 'execution_finished')) throw error
          break
        }
      }
    }
  }
  await Promise.all(Array.from({ length: 8 }, sender))
}
