import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { TOGETHER } from './together.ts'

const ROOT = join(import.meta.dirname, '..')

it.each(TOGETHER)('test files that share a process replace no module, which another may have loaded: %s', (pattern) => {
  const files = globSync(pattern, { cwd: ROOT })
  expect(files).not.toEqual([])
  const replacing = files.filter((file) => /\bvi\.(?:do)?[mM]ock\(/.test(readFileSync(join(ROOT, file), 'utf8')))
  expect(replacing).toEqual([])
})
