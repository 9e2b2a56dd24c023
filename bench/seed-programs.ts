// The Programs of the seeded Executions, and how often each story occurs.

import type { Change } from '../src-runtime/engine/change.ts'
import {
  approved,
  atOnce,
  backsOff,
  cancelledWhileWaiting,
  type Circumstances,
  declined,
  effectDone,
  ends,
  fails,
  outOfMemory,
  slept,
  sleepsOn,
  typeError,
  unreachable,
  waitsForEvent,
  wakeAt,
} from './seed-stories.ts'

export type SeededProgram = {
  readonly id: string
  readonly description: string
  readonly versions: number
  readonly code: string
  readonly input: (circumstances: Circumstances) => unknown
  /** Stories by weight. */
  readonly stories: readonly { readonly weight: number; readonly tell: (circumstances: Circumstances) => Change }[]
}

export const SEEDED_PROGRAMS: readonly SeededProgram[] = [
  {
    id: 'order-approval',
    description: 'Waits for somebody to approve an order, then charges the card',
    versions: 3,
    code: `({ run: async (ctx, input) => {
      ctx.log.info('order ' + input.orderId)
      const { by } = await ctx.waitForEvent('approved')
      await ctx.sleep(1000)
      return { orderId: input.orderId, by }
    } })`,
    input: ({ number, chance }) => ({ orderId: `A-${number}`, cents: Math.floor(chance() * 100_000) }),
    stories: [
      { weight: 70, tell: (it) => approved(it, ends(it, 'completed')) },
      { weight: 8, tell: (it) => approved(it, fails(it, declined(it))) },
      { weight: 6, tell: cancelledWhileWaiting },
      { weight: 16, tell: (it) => waitsForEvent(it, 'approved') },
    ],
  },
  {
    id: 'charge-subscription',
    description: 'Charges a card once a month',
    versions: 2,
    code: `({ run: async (ctx, input) => {
      const receipt = await ctx.effect('chargeCard', { customer: input.customer })
      return { receipt }
    } })`,
    input: ({ number }) => ({ customer: `cus_${number % 4_000}` }),
    stories: [
      { weight: 90, tell: (it) => effectDone(it, ends(it, 'completed')) },
      { weight: 6, tell: (it) => effectDone(it, fails(it, unreachable(it))) },
      { weight: 4, tell: backsOff },
    ],
  },
  {
    id: 'nightly-report',
    description: 'Adds up what happened the day before',
    versions: 5,
    code: `({ run: async (ctx, input) => {
      ctx.log.info('begins')
      await ctx.sleepUntil(input.sendAt)
      return {}
    } })`,
    input: (it) => ({ day: new Date(it.at).toISOString().slice(0, 10), sendAt: new Date(wakeAt(it)).toISOString() }),
    stories: [
      { weight: 94, tell: (it) => slept(it, ends(it, 'completed')) },
      { weight: 3, tell: (it) => slept(it, fails(it, typeError(it))) },
      { weight: 3, tell: sleepsOn },
    ],
  },
  {
    id: 'resize-image',
    description: 'Makes the sizes in which an image is shown',
    versions: 1,
    code: `({ run: async (ctx, input) => ({ sizes: [320, 640, 1280], of: input.url }) })`,
    input: ({ number }) => ({ url: `https://images.example/${number}.png` }),
    stories: [
      { weight: 97, tell: (it) => atOnce(it, ends(it, 'completed')) },
      { weight: 3, tell: (it) => atOnce(it, fails(it, outOfMemory())) },
    ],
  },
]
