import { expect, it } from 'vitest'
import { searchableText } from './find-queries.ts'

it('searches for ids from their first letters on, and for other text from a minimum length on', () => {
  const id = 'exe_01m7x7f976f70tf514kr4mq0sm'
  expect(searchableText(id)).toBe(id)
  expect(searchableText(`  http://localhost:3477/executions/${id}?tab=data `)).toBe(id)
  expect(searchableText('EXE_01M')).toBe('exe_01m')
  expect(searchableText('01m7x7f976f70tf514kr4mq0sm')).toBe(id)
  expect(searchableText('01M7X')).toBe('exe_01m7x')
  expect(['exe_', 'exe', 'time', '01m7', 'timeout'].map(searchableText)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    'timeout',
  ])
})
