import { expect, it } from 'vitest'
import { readablePreview, summaryOf } from './input-summary.ts'

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
])('shows %s as "%s"', (json, text) => expect(readablePreview(json)).toBe(text))

it('prefers the Program’s label', () => {
  expect(summaryOf({ label: 'Order 7', inputPreview: '{"id":7}' })).toBe('Order 7')
  expect(summaryOf({ inputPreview: '{"id":7}' })).toBe('id: 7')
  expect(summaryOf({})).toBe('')
})
