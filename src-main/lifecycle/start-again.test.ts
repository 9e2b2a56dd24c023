import { expect, it, vi } from 'vitest'
import { createStartAgain } from './start-again.ts'

it('the app starts again with what was asked for while it ended, and only then', () => {
  const start = vi.fn()
  const again = createStartAgain(start)
  expect(again.keep({})).toBe(false)
  again.begin()
  again.perform()
  expect([again.isAsked(), start.mock.calls]).toEqual([false, []])
  expect(again.keep({ deepLink: 'wes://executions/a' })).toBe(true)
  expect(again.keep({ runFile: '/a.wes-run.json' })).toBe(true)
  expect(again.keep({})).toBe(true)
  expect(again.isAsked()).toBe(true)
  again.perform()
  // The link last: Electron refuses to start on Windows with an argument behind it.
  expect(start.mock.calls).toEqual([[['/a.wes-run.json', 'wes://executions/a']]])
})
