import { expect, it } from 'vitest'
import { patternOf } from './find-text.ts'

const found = (query: string, text: string) => [...text.matchAll(patternOf(query)!)].map(([match]) => match)

it('text is found in any case, with any space, and as it is written', () => {
  expect(found('order', 'Order, ORDER and border')).toEqual(['Order', 'ORDER', 'order'])
  expect(found(' no  money ', 'no\n money; nomoney')).toEqual(['no\n money'])
  expect(found('a.b(*)', 'a.b(*) axb')).toEqual(['a.b(*)'])
  expect(found('straße', 'STRASSE Straße')).toEqual(['Straße'])
})

it('nothing is found without text', () => {
  expect(patternOf(' \t')).toBeUndefined()
})
