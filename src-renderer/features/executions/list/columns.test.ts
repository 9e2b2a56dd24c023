import { expect, it } from 'vitest'
import { columnsAt } from './columns.tsx'

const idsAt = (widthPx: number, isOfOneProgram: boolean, hasDetails: boolean) =>
  columnsAt(widthPx, [], { isOfOneProgram, hasDetails }).map(({ id }) => id)

it('shows errors and waits in place of inputs where all rows have one, and there is no room for both', () => {
  expect(idsAt(760, false, true)).toEqual(idsAt(760, false, false))
  expect(idsAt(560, false, false)).toEqual(['status', 'id', 'input', 'program'])
  expect(idsAt(560, false, true)).toEqual(['status', 'id', 'program', 'detail'])
  expect(idsAt(400, false, true)).toEqual(['status', 'id', 'program'])
  expect(idsAt(400, true, true)).toEqual(['status', 'id', 'detail'])
  expect(idsAt(400, true, false)).toEqual(['status', 'id', 'input'])
})
