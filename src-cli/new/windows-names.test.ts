import { expect, it } from 'vitest'
import { windowsNameFault } from './windows-names.ts'

it.each(['con', 'AUX', 'nul.txt', 'com1', 'LPT9.tar.gz', 'COM¹'])('Windows takes %s for a device', (name) => {
  expect(windowsNameFault(name)).toBe('Windows reserves this name for a device')
})

it.each([
  ['shop.', 'Windows removes a dot or a space at the end of a name'],
  ['shop ', 'Windows removes a dot or a space at the end of a name'],
  ['a:b', 'Windows does not allow ":" in a name'],
  ['a?', 'Windows does not allow "?" in a name'],
])('Windows has no file called %s', (name, fault) => {
  expect(windowsNameFault(name)).toBe(fault)
})

it.each(['shop', 'console', 'con-1', 'com10', '.config', 'größe #1 100% 🚀', 'a.b'])(
  '%s is a name everywhere',
  (name) => {
    expect(windowsNameFault(name)).toBeUndefined()
  },
)
