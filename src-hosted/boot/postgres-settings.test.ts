import { expect, it } from 'vitest'
import { flushesAtOnce } from './postgres-settings.ts'

it.each([
  ['linux', '6.18.44-fc', true],
  ['linux', '5.8.0-rc1', true],
  ['linux', '5.4.0-150-generic', false],
  ['linux', '4.19', false],
  ['linux', 'unknown', false],
  ['darwin', '25.1.0', false],
])('flushes the whole file system only where that reports errors: %s %s %s', (system, version, does) => {
  expect(flushesAtOnce(system, version)).toBe(does)
})
