import { expect, it, onTestFinished, vi } from 'vitest'
import { createFairPlaces, unlessAborted, unlessEither, unlessLate } from './fair-places.ts'

it('lets keys take turns, whoever asked for more before', async () => {
  const turns = createFairPlaces(1, () => 1)
  const order: string[] = []
  const use = async (key: string): Promise<void> => {
    const give = await turns.take(key)
    order.push(key)
    await Promise.resolve()
    give()
  }
  const all = ['full', 'full', 'full', 'full', 'quiet', 'full'].map((key) => use(key))
  expect(turns.waiting).toBe(5)
  await Promise.all(all)
  expect(order).toEqual(['full', 'full', 'quiet', 'full', 'full', 'full'])
  expect(turns.waiting).toBe(0)
})

it('lets the parts of a key take turns, and counts them together', async () => {
  const turns = createFairPlaces(8, () => 2)
  const order: string[] = []
  const use = async (part: string): Promise<void> => {
    const give = await turns.take('one', undefined, 1, part)
    expect(turns.takenBy('one')).toBeLessThanOrEqual(2)
    order.push(part)
    await Promise.resolve()
    give()
  }
  await Promise.all(['full', 'full', 'full', 'full', 'full', 'quiet', 'other'].map(use))
  expect(order).toEqual(['full', 'full', 'full', 'quiet', 'other', 'full', 'full'])
})

it('rejects when no place is free in time, and loses none', async () => {
  const turns = createFairPlaces(1, () => 1)
  const give = await turns.take('one')
  const late = unlessLate(10, 'no connection was free within 10 ms')
  await expect(turns.take('one', late)).rejects.toThrow('no connection was free within 10 ms')
  give()
  const again = await turns.take('other')
  again()
})

it('keeps places free of a key that has its share', async () => {
  const turns = createFairPlaces(4, () => 2)
  const gives = [await turns.take('full'), await turns.take('full')]
  const third = turns.take('full')
  expect(turns.waiting).toBe(1)
  gives.push(await turns.take('quiet'))
  gives[0]!()
  gives.push(await third)
  expect(turns.waiting).toBe(0)
  for (const give of gives.slice(1)) give()
})

it('admits all at once that a key has room for when it may have more', async () => {
  let most = 1
  const turns = createFairPlaces(10, () => most)
  const give = await turns.take('one')
  const others = Promise.all([turns.take('one'), turns.take('one'), turns.take('one')])
  expect(turns.waiting).toBe(3)
  most = 2
  give()
  expect(turns.waiting).toBe(1)
  most = 3
  const another = await turns.take('other')
  another()
  expect(turns.waiting).toBe(0)
  for (const giveOther of await others) giveOther()
})

it('rejects when the one who waits is aborted, before or meanwhile, and loses none', async () => {
  const turns = createFairPlaces(Infinity, () => 1)
  const give = await turns.take('one', unlessAborted(AbortSignal.abort(new Error('not waited for'))))
  await expect(turns.take('one', unlessAborted(AbortSignal.abort(new Error('before'))))).rejects.toThrow('before')
  const controller = new AbortController()
  const meanwhile = turns.take('one', unlessAborted(controller.signal))
  controller.abort(new Error('meanwhile'))
  await expect(meanwhile).rejects.toThrow('meanwhile')
  expect(turns.waiting).toBe(0)
  give()
  const again = await turns.take('one')
  again()
})

it('leaves no timer of a wait that has ended', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const turns = createFairPlaces(1, () => 1)
  const give = await turns.take('one')
  const either = (signal: AbortSignal) => unlessEither(unlessLate(10_000, 'late'), unlessAborted(signal))
  const controller = new AbortController()
  const waits = [controller.signal, AbortSignal.abort(new Error('gone'))].map((signal) =>
    turns.take('one', either(signal)),
  )
  controller.abort(new Error('gone'))
  for (const wait of waits) await expect(wait).rejects.toThrow('gone')
  expect(vi.getTimerCount()).toBe(0)
  give()
})

it('gives several places at once, and lets smaller ones not overtake those whose turn it is', async () => {
  const places = createFairPlaces(10, () => 10)
  const order: string[] = []
  const take = async (key: string, count: number): Promise<() => void> => {
    const give = await places.take(key, undefined, count)
    order.push(`${key}${count}`)
    return give
  }
  const [first, second] = [await take('a', 4), await take('b', 4)]
  const large = take('d', 8)
  const [small, other] = [take('b', 1), take('c', 2)]
  first()
  await Promise.resolve()
  expect(order).toEqual(['a4', 'b4'])
  second()
  const gives = await Promise.all([large, small, other].map((taken) => taken.then((give) => give())))
  expect(gives).toHaveLength(3)
  expect(order).toEqual(['a4', 'b4', 'd8', 'b1', 'c2'])
  expect(places.waiting).toBe(0)
})

it('lets smaller ones not overtake a larger one of the same key', async () => {
  const places = createFairPlaces(10, () => 4)
  const order: number[] = []
  const take = async (count: number): Promise<() => void> => {
    const give = await places.take('full', undefined, count)
    order.push(count)
    return give
  }
  const [first, second] = [await take(1), await take(1)]
  const [large, small] = [take(3), take(1)]
  ;(await places.take('quiet', undefined, 2))()
  expect(places.waiting).toBe(2)
  first()
  const giveLarge = await large
  second()
  const giveSmall = await small
  expect(order).toEqual([1, 1, 3, 1])
  for (const give of [giveLarge, giveSmall]) give()
  expect(places.waiting).toBe(0)
})

it('goes on with smaller ones of the same key when the larger one in front of them waits no more', async () => {
  const places = createFairPlaces(10, () => 4)
  const give = await places.take('full', undefined, 2)
  const controller = new AbortController()
  const large = places.take('full', unlessAborted(controller.signal), 4)
  const small = places.take('full')
  expect(places.waiting).toBe(2)
  controller.abort(new Error('gone'))
  await expect(large).rejects.toThrow('gone')
  expect(places.waiting).toBe(0)
  for (const one of [give, await small]) one()
})

it('gives all places to what is larger than all, and waits while more are taken than there are', async () => {
  const places = createFairPlaces(10, () => 5)
  const giveLarge = await places.take('a', undefined, 50)
  const other = places.take('b', undefined, 1)
  expect(places.waiting).toBe(1)
  giveLarge()
  ;(await other)()
  const giveMore = places.occupy('b', 12)
  const waits = places.take('a')
  expect(places.waiting).toBe(1)
  giveMore()
  ;(await waits)()
})

it('goes on with others when the one whose turn it is waits no more', async () => {
  const places = createFairPlaces(10, () => 10)
  const give = await places.take('a', undefined, 9)
  const controller = new AbortController()
  const large = places.take('a', unlessAborted(controller.signal), 5)
  const small = places.take('b', undefined, 2)
  const tiny = places.take('c')
  give()
  const giveLarge = await large
  const again = places.take('e', unlessAborted(controller.signal), 9)
  const [giveSmall, giveTiny] = await Promise.all([small, tiny])
  giveTiny()
  const waits = places.take('d', undefined, 3)
  expect(places.waiting).toBe(2)
  controller.abort(new Error('gone'))
  await expect(again).rejects.toThrow('gone')
  const giveLast = await waits
  for (const one of [giveLarge, giveSmall, giveLast]) one()
  expect(places.waiting).toBe(0)
})

it('gives a key its first places though none are free, also where others wait for more', async () => {
  const turns = createFairPlaces(4, () => 4, 2)
  const all = await turns.take('full', undefined, 4)
  const next = turns.take('full')
  const [first] = [await turns.take('quiet'), await turns.take('quiet')]
  const third = turns.take('quiet', undefined, 2)
  const fourth = turns.take('quiet')
  expect(turns.waiting).toBe(3)
  first()
  // The fourth does not overtake the third.
  expect(turns.waiting).toBe(3)
  all()
  for (const give of await Promise.all([next, third])) give()
  await fourth
  expect(turns.waiting).toBe(0)
})
