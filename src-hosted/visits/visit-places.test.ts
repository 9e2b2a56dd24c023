import { expect, it } from 'vitest'
import { createVisitPlaces } from './visit-places.ts'

it('takes visits that repeat failed attempts and others of their Program in turn', async () => {
  const places = createVisitPlaces(1, () => 1)
  const of = { workspaceId: 'w', head: { programId: 'p' } }
  const order: string[] = []
  const visit = async (name: string, isRepeat: boolean): Promise<void> => {
    const place = places.place()
    await place.take(of, undefined, isRepeat)
    order.push(name)
    place.give()
  }
  const first = places.place()
  await first.take(of)
  const visits = [visit('repeats 1', true), visit('repeats 2', true), visit('repeats 3', true), visit('new', false)]
  first.give()
  await Promise.all(visits)
  expect(order).toEqual(['repeats 1', 'new', 'repeats 2', 'repeats 3'])
})
