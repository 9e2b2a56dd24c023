import { expect, it } from 'vitest'
import { stacked } from './stacked.ts'

it('stacks the last series at the bottom', () => {
  expect(
    stacked([
      [1, 2],
      [10, 0],
      [100, 5],
    ]),
  ).toEqual([
    [111, 7],
    [110, 5],
    [100, 5],
  ])
  expect(stacked([])).toEqual([])
})
