import { expect, it } from 'vitest'
import { readablePreview } from './input-summary.ts'

it.each([
  ['{"orderId":"x-7","cents":4200,"tags":["a","b"]}', 'orderId: x-7, cents: 4200, tags: [a, b]'],
  [
    '{"customer":{"name":"Ada, Countess"},"note":"say \\"hi\\"","cut of',
    'customer: {name: Ada, Countess}, note: say \\"hi\\", cut of',
  ],
  ['"just text"', 'just text'],
  ['[1,2,3]', '[1, 2, 3]'],
  ['null', 'null'],
  ['{}', ''],
])('shows %s as "%s"', (json, text) => expect(readablePreview(json).join('')).toBe(text))

it('has the strings at odd places', () => {
  expect(readablePreview('{"id":7,"a":["b","c')).toEqual(['', 'id', ': 7, ', 'a', ': [', 'b', ', ', 'c', ''])
})
