import { expect, it } from 'vitest'
import { createSealedCursors } from './sealed-cursors.ts'

it('opens what it sealed, in every process, and nothing that is of another workspace, of another service, or changed', () => {
  const { seal, open } = createSealedCursors('secret', 'wsp_1')
  const cursor = seal('e:4711')
  expect(createSealedCursors('secret', 'wsp_1').open(cursor)).toBe('e:4711')
  expect(createSealedCursors('secret', 'wsp_2').open(cursor)).toBeUndefined()
  expect(createSealedCursors('another', 'wsp_1').open(cursor)).toBeUndefined()
  expect(seal('e:4712').slice(-6)).not.toBe(cursor.slice(-6))
  for (let index = 0; index < cursor.length; index += 1) {
    const other = cursor[index] === 'A' ? 'B' : 'A'
    expect(open(cursor.slice(0, index) + other + cursor.slice(index + 1))).toBeUndefined()
    expect(open(cursor.slice(0, index))).toBeUndefined()
  }
})
