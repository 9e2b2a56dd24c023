import { expect, it } from 'vitest'
import type { EntryType, NewEntry } from '../engine/journal.ts'
import { START, openRig } from './store-rig.test-support.ts'

const log = (text: string): NewEntry => ({ at: START, type: 'log', data: JSON.stringify(text) })

it('is read in pages, oldest first', async () => {
  const { store, start, change } = openRig()
  const [one, two] = [await start(), await start()]
  await change(one.key, { entries: [log('a'), log('b')] })
  await change(two.key, { entries: [log('other')] })
  await change(one.key, { entries: [log('c')] })

  const first = store.journal.page(one.key, 0, 2)
  expect(first.items.map(({ position, data }) => [position, data])).toEqual([
    [1, '{"input":1}'],
    [2, '"a"'],
  ])
  expect(first.more).toBe(true)
  const rest = store.journal.page(one.key, 2, 2)
  expect(rest.items.map(({ position, data }) => [position, data])).toEqual([
    [3, '"b"'],
    [4, '"c"'],
  ])
  expect(rest.more).toBe(false)
  expect(store.journal.entry(one.key, 4)).toEqual({ position: 4, ...log('c') })
  expect(store.journal.entry(one.key, 5)).toBeUndefined()
  expect(store.journal.page(one.key, 4, 2)).toEqual({ items: [], more: false })
})

it('ends a page early for large payloads, and continues after it', async () => {
  const { store, start, change } = openRig()
  const { key } = await start()
  for (let n = 0; n < 20; n += 1) await change(key, { entries: [log('x'.repeat(1_000_000))] })
  const positions: number[] = []
  let pages = 0
  for (let more = true; more; pages += 1) {
    const page = store.journal.page(key, positions.at(-1) ?? 0, 200)
    positions.push(...page.items.map(({ position }) => position))
    more = page.more
  }
  expect(positions).toEqual(Array.from({ length: 21 }, (_, index) => index + 1))
  expect(pages).toBe(3)
})

it('finds the entry that scheduled an effect, while it is open and afterwards', async () => {
  const { store, start, change } = openRig()
  const { key } = await start()
  const scheduled = (command: number): NewEntry => ({
    at: START,
    type: 'effect_scheduled',
    command,
    name: 'charge',
    data: `{"input":${command}}`,
  })
  await change(key, {
    entries: [log('first'), scheduled(1), scheduled(2)],
    opened: [1, 2].map((command) => ({
      kind: 'effect',
      command,
      name: 'charge',
      since: START,
      attempt: 1,
      options: {},
    })),
    lastCommand: 2,
  })
  expect(store.journal.scheduled(key, 2)).toEqual({ position: 4, ...scheduled(2) })
  await change(key, { entries: [{ at: START, type: 'effect_completed', command: 2, name: 'charge' }], closed: [2] })
  expect(store.journal.scheduled(key, 2)).toEqual({ position: 4, ...scheduled(2) })
  expect(store.journal.scheduled(key, 3)).toBeUndefined()
})

it('keeps every type of entry after a restart', async () => {
  const types: readonly EntryType[] = [
    'effect_scheduled',
    'effect_attempt_failed',
    'effect_completed',
    'effect_failed',
    'timer_scheduled',
    'timer_fired',
    'wait_scheduled',
    'wait_timed_out',
    'event_delivered',
    'log',
    'cancel_requested',
    'execution_completed',
    'execution_failed',
    'execution_cancelled',
  ]
  const first = openRig()
  const { key } = await first.start()
  await first.change(key, { entries: types.map((type) => ({ at: START, type })) })
  await first.store.close()
  const second = openRig(first.file)
  expect(second.store.journal.page(key, 1, 100).items.map(({ type }) => type)).toEqual(types)
})
