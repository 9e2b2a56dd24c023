import { expect, it } from 'vitest'
import { createFairPlaces, unlessAborted, unlessLate } from './fair-places.ts'

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
