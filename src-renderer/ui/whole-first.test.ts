import { expect, it } from 'vitest'
import { wholeFirst } from './whole-first.ts'

it('puts the option that the text names before those that contain it', () => {
  const options = ['79', '70', '7'].map((value) => ({ value }))
  const valuesFor = (text: string) => wholeFirst(options, text).map(({ value }) => value)
  expect(valuesFor('7')).toEqual(['7', '79', '70'])
  expect(valuesFor('')).toEqual(['79', '70', '7'])
  expect(valuesFor('9')).toEqual(['79', '70', '7'])
})
