// Does what its input says, with what a Program has.

import { CancelledError, defineProgram, TimeoutError, type ProgramContext } from 'workflow-execution-service'
import { ALL_SEEN, RACED, SEEN, TIMED_OUT, type Value, type Work } from '../../work.ts'
import { work as effect } from './random-work.effects.ts'

/** Told of each piece of the work that has ended. */
type See = (what: string) => void

export const randomWork = defineProgram({ id: 'random-work' }, async (ctx, { work }: { readonly work: Work }) => {
  const seen: string[] = []
  const see: See = (what) => {
    const one = `${SEEN}${what} ${Date.now()} ${Math.random()}`
    seen.push(one)
    ctx.log.info(one)
  }
  try {
    return await perform(ctx, work, see)
  } catch (error) {
    throw error instanceof CancelledError ? error : new Error(messageOf(error))
  } finally {
    ctx.log.info(ALL_SEEN + JSON.stringify(seen))
  }
})

const messageOf = (error: unknown): string =>
  error instanceof TimeoutError ? TIMED_OUT : error instanceof Error ? error.message : String(error)

const perform = async (ctx: ProgramContext, work: Work, see: See): Promise<Value> => {
  const go = async (one: Work): Promise<Value> => {
    try {
      const value = await perform(ctx, one, see)
      see(one.do)
      return value
    } catch (error) {
      see(`${one.do} ${messageOf(error)}`)
      throw error
    }
  }
  switch (work.do) {
    case 'return':
      return work.value
    case 'throw':
      throw new Error(work.message)
    case 'tick':
      for (let at = 0; at < work.times; at += 1) await Promise.resolve()
      return null
    case 'sleep':
      await ctx.sleep(work.ms)
      return null
    case 'sleepUntil':
      await ctx.sleepUntil(new Date(Date.now() + work.ms))
      return null
    case 'firstTimer':
      return Promise.race(work.ms.map((ms, at) => ctx.sleep(ms).then(() => at)))
    case 'timersInOrder': {
      const fired: number[] = []
      await Promise.all(work.ms.map((ms, at) => ctx.sleep(ms).then(() => fired.push(at))))
      return fired
    }
    case 'wait':
      return ctx.waitForEvent<Value>(work.event, work.timeoutMs === undefined ? {} : { timeout: work.timeoutMs })
    case 'waitMany':
      return Promise.all(Array.from({ length: work.times }, () => ctx.waitForEvent<Value>(work.event)))
    case 'waitAgain':
      for (;;) {
        try {
          return await ctx.waitForEvent<Value>(work.event, { timeout: work.ms })
        } catch (error) {
          if (!(error instanceof TimeoutError)) throw error
        }
      }
    case 'waitBesideTimers': {
      const event = ctx.waitForEvent<Value>(work.event).then((payload) => ({ payload }))
      for (;;) {
        const first = await Promise.race([event, ctx.sleep(work.ms)])
        if (first !== undefined) return first.payload
      }
    }
    case 'effect': {
      const { input, maxAttempts } = work
      if (maxAttempts === undefined) return effect(input)
      return ctx.effect(effect, input, { retry: { maxAttempts, initialInterval: 5 } })
    }
    case 'random': {
      const drawn = [Math.random(), crypto.randomUUID()] as const
      return JSON.stringify(await effect({ value: drawn })) === JSON.stringify(drawn)
    }
    case 'list': {
      const values: Value[] = []
      for (const one of work.items) values.push(await go(one))
      return values
    }
    case 'generator':
      return collect(work.items, go)
    case 'all':
      return Promise.all(work.items.map(go))
    case 'limited':
      return limited(work.items.map((one) => () => go(one)))
    case 'settled':
      return (await Promise.allSettled(work.items.map(go))).map((one) =>
        one.status === 'fulfilled' ? one.value : messageOf(one.reason),
      )
    case 'any':
      return Promise.any(work.items.map(go))
    case 'race':
      await Promise.race(work.items.map(go))
      return RACED
    case 'catch':
      try {
        return await go(work.body)
      } catch (error) {
        if (error instanceof CancelledError) throw error
        return [messageOf(error), await go(work.handler)]
      }
    case 'finally':
      try {
        return await go(work.body)
      } finally {
        await go(work.after)
      }
    case 'beside':
      void go(work.beside).catch(() => {})
      return go(work.body)
    case 'clock': {
      const before = Date.now()
      const value = await go(work.body)
      if (Date.now() < before) throw new Error(`the clock went back by ${before - Date.now()} ms`)
      return value
    }
  }
}

const collect = async (items: readonly Work[], go: (one: Work) => Promise<Value>): Promise<Value> => {
  const generate = async function* () {
    for (const one of items) yield await go(one)
  }
  const values: Value[] = []
  for await (const value of generate()) values.push(value)
  return values
}

/** Two at a time. */
const limited = async (items: readonly (() => Promise<Value>)[]): Promise<Value> => {
  const values: Value[] = []
  const rest = items.entries()
  const worker = async (): Promise<void> => {
    for (const [at, item] of rest) values[at] = await item()
  }
  await Promise.all([worker(), worker()])
  return values
}
