import { expect, it, vi } from 'vitest'
import { replaceInvalidLanguage } from './valid-language.ts'

it.each([
  ['C', 'en'],
  ['de-AT', 'de-AT'],
])('of a browser whose language is %s, the page sees %s', (language, seen) => {
  const navigator = { language }
  vi.stubGlobal('navigator', navigator)
  replaceInvalidLanguage()
  vi.unstubAllGlobals()
  expect(navigator.language).toBe(seen)
})
