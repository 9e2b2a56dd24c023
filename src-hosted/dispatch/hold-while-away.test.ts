import pino from 'pino'
import { beforeEach, expect, it, vi } from 'vitest'
import { within } from '../../src-runtime/shared/within.ts'
import { MessageRefused, type Dispatcher } from './dispatcher.ts'
import { holdWhileAway } from './hold-while-away.ts'

const log = pino({ level: 'silent' })
let isUp: boolean
/** Tries, and what came through. */
let tries: string[]
let sent: string[]
let now: number

beforeEach(() => {
  isUp = false
  now = 0
  tries = []
  sent = []
})

const send = async (message: string): Promise<void> => {
  tries.push(message)
  if (message.includes('refused')) throw new MessageRefused(message)
  if (!isUp || message.includes('never')) throw new Error('no')
  sent.push(message)
}
const restate: Dispatcher = {
  poke: (id, why, delayMs = 0) => send(`${id} ${why}${delayMs > 0 ? ` in ${delayMs}` : ''}`),
  sweep: (id) => send(`${id} overdue`),
  perform: ({ executionId, command, attempt }, delayMs) => send(`${executionId}.${command}.${attempt} in ${delayMs}`),
}
/** The first digit after `exe_` is the workspace. */
const workspaceOf = async (executionId: string) => Number(executionId[4]) || undefined
const hold = (options: Partial<Parameters<typeof holdWhileAway>[1]> = {}) =>
  holdWhileAway(restate, { log, workspaceOf, monotonic: () => now, tryEveryMs: 1, ...options })

it('tries one message at a time while Restate is away, and sends all once it is back', async () => {
  const dispatcher = hold()
  const first = ['exe_a', 'exe_b', 'exe_0'].map((id) => dispatcher.poke(id, 'start'))
  await vi.waitUntil(() => dispatcher.isAway)
  const others = Array.from({ length: 100 }, (_, n) => dispatcher.poke(`exe_${n + 1}`, 'event'))
  const before = tries.length
  await vi.waitUntil(() => tries.length >= before + 10)
  const tried = tries.slice(before, before + 10)
  expect(new Set(tried).size).toBe(10) // each time another one
  isUp = true
  await Promise.all([...first, ...others])
  expect(sent).toHaveLength(103)
  await vi.waitUntil(() => !dispatcher.isAway)
  await dispatcher.poke('exe_0', 'cancel')
  expect(sent.at(-1)).toBe('exe_0 cancel')
})

it('tells who asked for a message that it held when Restate refuses it', async () => {
  const dispatcher = hold()
  const first = ['exe_a', 'exe_b', 'exe_c'].map((id) => dispatcher.poke(id, 'start'))
  await vi.waitUntil(() => dispatcher.isAway)
  await expect(dispatcher.poke('exe_refused', 'start')).rejects.toThrow(MessageRefused)
  isUp = true
  await Promise.all(first)
})

it('lets workspaces take turns with what is sent once Restate is back', async () => {
  const dispatcher = hold()
  const first = ['exe_1_a', 'exe_1_b', 'exe_1_c'].map((id) => dispatcher.poke(id, 'event'))
  await vi.waitUntil(() => dispatcher.isAway)
  const many = Array.from({ length: 1_000 }, (_, n) => dispatcher.poke(`exe_1_${n}`, 'event'))
  const one = dispatcher.poke('exe_2', 'event')
  isUp = true
  await Promise.all([...first, ...many, one])
  // One message has shown that Restate is back.
  expect(sent.indexOf('exe_2 event')).toBeLessThanOrEqual(2)
})

it('sends what was held although the store does not tell whose it is', async () => {
  const dispatcher = hold({ workspaceOf: () => Promise.reject(new Error('the database is away')) })
  const all = Array.from({ length: 10 }, (_, n) => dispatcher.poke(`exe_1_${n}`, 'event'))
  await vi.waitUntil(() => dispatcher.isAway)
  isUp = true
  await Promise.all(all)
  expect(sent).toHaveLength(10)
})

it('sends a message once that was asked for twice, and one with a delay at its time', async () => {
  const dispatcher = hold()
  const all = [
    dispatcher.poke('exe_1', 'event'),
    dispatcher.poke('exe_2', 'timer', 1_000),
    dispatcher.perform({ executionId: 'exe_3', command: 1, attempt: 2 }, 200),
  ]
  await vi.waitUntil(() => dispatcher.isAway)
  all.push(dispatcher.poke('exe_1', 'event'), dispatcher.poke('exe_1', 'cancel'))
  now = 400
  isUp = true
  await Promise.all(all)
  expect(sent.toSorted()).toEqual(['exe_1 cancel', 'exe_1 event', 'exe_2 timer in 600', 'exe_3.1.2 in 0'])
})

it('answers everyone who asked for a message, also while it was being sent', async () => {
  const tried: PromiseWithResolvers<void>[] = []
  const poke = (): Promise<void> => {
    const one = Promise.withResolvers<void>()
    tried.push(one)
    return one.promise
  }
  const dispatcher = holdWhileAway({ ...restate, poke }, { log, workspaceOf, monotonic: () => now, tryEveryMs: 1 })
  const first = dispatcher.poke('exe_1', 'event')
  tried[0]!.reject(new Error('no'))
  await vi.waitUntil(() => tried.length === 2)
  const second = dispatcher.poke('exe_1', 'event')
  tried[2]!.reject(new Error('no'))
  await new Promise(setImmediate)
  tried[1]!.reject(new Error('no'))
  await vi.waitUntil(() => tried.length === 4)
  tried[3]!.resolve()
  expect(await Promise.all([first, second])).toEqual([undefined, undefined])
})

it('lets messages that cannot be sent hold up no others', async () => {
  isUp = true
  const dispatcher = hold()
  await dispatcher.poke('exe_0', 'event')
  const never = Array.from({ length: 100 }, (_, n) => dispatcher.poke(`exe_never_${n}`, 'event'))
  for (const promise of never) promise.catch(() => {})
  const refused = dispatcher.poke('exe_refused', 'event')
  await expect(refused).rejects.toThrow(MessageRefused)
  // All that is held is tried again, and some in vain.
  const before = tries.length
  await vi.waitUntil(() => tries.length > before + 300)
  expect(dispatcher.isAway).toBe(false)
  await Promise.all(['exe_1', 'exe_2', 'exe_3'].map((id) => dispatcher.poke(id, 'event')))
  expect(sent).toHaveLength(4)
  const same = dispatcher.poke('exe_never_7', 'event')
  dispatcher.stop()
  await Promise.all([never[7], same])
})

it('tries a new message before those that have failed', async () => {
  const dispatcher = hold()
  const never = Array.from({ length: 100 }, (_, n) => dispatcher.poke(`exe_never_${n}`, 'event'))
  for (const promise of never) promise.catch(() => {})
  await vi.waitUntil(() => dispatcher.isAway)
  isUp = true
  const before = tries.length
  await dispatcher.poke('exe_1', 'event')
  expect(tries.length - before).toBeLessThanOrEqual(2)
  expect(dispatcher.isAway).toBe(false)
  dispatcher.stop()
})

it('is not away because of what began before another message was taken', async () => {
  const fails: (() => void)[] = []
  const partly: Dispatcher = {
    ...restate,
    poke: (id) =>
      id.includes('never') ? new Promise((_, reject) => fails.push(() => reject(new Error('no')))) : Promise.resolve(),
  }
  const dispatcher = holdWhileAway(partly, { log, workspaceOf, monotonic: () => now, tryEveryMs: 1 })
  const never = Array.from({ length: 10 }, (_, n) => dispatcher.poke(`exe_never_${n}`, 'event'))
  for (const promise of never) promise.catch(() => {})
  await dispatcher.poke('exe_1', 'event')
  for (const fail of fails) fail()
  await vi.waitUntil(() => fails.length > 10) // they are tried again
  expect(dispatcher.isAway).toBe(false)
  dispatcher.stop()
})

it('leaves to the sweeper what is too much, and what it holds when it stops, with one line for each', async () => {
  const lines: unknown[] = []
  const warnings = pino(
    { level: 'warn', base: null, timestamp: false },
    { write: (line) => void lines.push(JSON.parse(line)) },
  )
  const dispatcher = holdWhileAway(restate, {
    log: warnings,
    workspaceOf,
    monotonic: () => now,
    tryEveryMs: 1,
    mostHeld: 2,
  })
  const held = ['exe_1', 'exe_2'].map((id) => dispatcher.poke(id, 'event'))
  await vi.waitUntil(() => lines.length === 1) // Restate is away
  await vi.waitUntil(() => dispatcher.isAway)
  await Promise.all(['exe_3', 'exe_4', 'exe_5'].map((id) => dispatcher.poke(id, 'event')))
  dispatcher.stop()
  dispatcher.stop()
  await Promise.all(held)
  expect(lines.slice(1)).toEqual([
    { level: 40, held: 2, msg: 'too many messages wait for Restate; the sweeper finds further ones' },
    { level: 40, left: 2, msg: 'this process stops while Restate is away; the sweeper finds what it was not told of' },
  ])
})

it('leaves what it cannot send once it has stopped to the sweeper, with one line for all of it', async () => {
  const lines: unknown[] = []
  const warnings = pino(
    { level: 'warn', base: null, timestamp: false },
    { write: (line) => lines.push(JSON.parse(line)) },
  )
  const dispatcher = hold({ log: warnings })
  dispatcher.stop()
  const left = Array.from({ length: 5 }, (_, n) => dispatcher.poke(`exe_${n}`, 'start').then(() => 'left'))
  expect(await within(10_000, Promise.all(left))).toEqual(left.map(() => 'left'))
  await expect(dispatcher.poke('exe_refused', 'start')).rejects.toThrow(MessageRefused)
  expect(lines).toEqual([
    { level: 40, msg: 'this process stops while Restate is away; the sweeper finds what it was not told of' },
  ])
})
