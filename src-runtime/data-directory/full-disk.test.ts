import { expect, it } from 'vitest'
import { StoreUnavailableError } from '../shared/store-errors.ts'
import { explainFullDisk } from './full-disk.ts'

const withCode = (code: string) => Object.assign(new Error(`${code}: as the system says it`), { code })

it.each([
  withCode('ENOSPC'),
  withCode('EDQUOT'),
  new StoreUnavailableError('the database cannot be used', { cause: withCode('SQLITE_FULL') }),
])('a start on a full disk says which disk, and what to do: %s', (error) => {
  const explained = explainFullDisk(error, '/data/wes')
  expect(explained).toMatchObject({ message: expect.stringContaining('/data/wes is full. Make room on it') as string })
})

it('an error with another cause stays as it is', () => {
  for (const error of [withCode('EACCES'), new Error('else'), undefined]) {
    expect(explainFullDisk(error, '/data/wes')).toBe(error)
  }
})
