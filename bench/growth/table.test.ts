import { expect, it } from 'vitest'
import type { Measured } from './figures.ts'
import { growthPicture } from './picture.ts'
import { growthTable, replaceTable } from './table.ts'

const MEASURED: Measured = [
  { executions: 1_000, rounds: [{ ready: [210, 200], page: [1.234] }, { ready: [220] }] },
  { executions: 1_000_000, rounds: [{ ready: [300], page: [1.2] }] },
]

it('shows the shortest sample of each figure, and how it grows', () => {
  expect(growthTable(MEASURED).split('\n')).toEqual([
    '| ms of processor time, with so many Executions in the store | 1,000 | 1,000,000 | times |',
    '|---|---|---|---|',
    '| start until `ready`, after a kill | 200 | 300 | 1.50 |',
    '| page of Executions | 1.23 | 1.2 | 0.97 |',
  ])
})

it('replaces the table of a page, and nothing else', () => {
  const page =
    '# Speed\n\n<!-- growth: npm run bench:growth -- --docs writes this table -->\n\nold\n\n<!-- /growth -->\nend\n'
  const replaced = replaceTable(page, 'new')
  expect(replaced).toBe(page.replace('old', 'new'))
  expect(() => replaceTable('# Speed', 'new')).toThrow('no place')
})

it('draws a plot for each figure that was measured', () => {
  const picture = growthPicture(MEASURED)
  expect(picture.match(/class="line"/g)).toHaveLength(2)
  expect(picture).toContain('200 ms')
  expect(picture).toContain('300 ms, × 1.50')
})
