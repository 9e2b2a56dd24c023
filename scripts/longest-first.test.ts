import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { LONGEST } from './longest-first.ts'

it('the files that begin first are there', () => {
  expect(LONGEST.filter((file) => !existsSync(join(import.meta.dirname, '..', file)))).toEqual([])
})
