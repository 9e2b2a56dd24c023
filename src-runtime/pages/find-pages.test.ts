import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../shared/temporary-folder.test-support.ts'
import { findPages } from './find-pages.ts'

const checkout = (): string => realpathSync(temporaryFolder('pages'))

const buildAt = (folder: string): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'index.html'), '<!doctype html>')
}

test('the built dashboard is found from the sources and from every build of them', () => {
  const root = checkout()
  const dashboard = join(root, 'out/renderer')
  buildAt(dashboard)
  expect(findPages(root)).toBe(dashboard)
  expect(findPages(join(root, 'out/main'))).toBe(dashboard)
  expect(findPages(join(root, 'out/wes/0123'))).toBe(dashboard)
})

test('without a built dashboard, the status page of the sources or of the build is found', () => {
  const root = checkout()
  mkdirSync(join(root, 'out/renderer'), { recursive: true })
  expect(findPages(root)).toBe(join(root, 'resources/status-page'))
  expect(findPages(join(root, 'out/main'))).toBe(join(root, 'out/main/resources/status-page'))
})

test('a folder outside the checkout is not used as the dashboard', () => {
  const folder = checkout()
  const root = join(folder, 'checkout')
  buildAt(join(folder, 'renderer'))
  expect(findPages(root)).toBe(join(root, 'resources/status-page'))
})
