import { expect, it } from 'vitest'
import { goneServices } from './gone-services.ts'

it('tells which ids are gone or belong to another service', () => {
  const of = (id: string, address = `https://${id}.example`) => ({ id, address })
  expect(goneServices([of('a'), of('b'), of('c')], [of('c'), of('b', 'https://other.example'), of('d')])).toEqual([
    'a',
    'b',
  ])
  expect(goneServices([], [of('a')])).toEqual([])
})
