import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../src-runtime/shared/temporary-folder.test-support.ts'
import { createStartAgain, takeLeft } from './start-again.ts'

const log = pino({ level: 'silent' })

const rig = () => {
  const file = join(temporaryFolder('again'), 'next-start.json')
  const start = vi.fn()
  return { file, start, again: createStartAgain({ file, start, log }) }
}

it('the app starts again if it was opened while it ended, and only then', () => {
  const { file, start, again } = rig()
  expect(again.keep({})).toBe(false)
  again.begin()
  again.perform()
  expect([again.settle(), start.mock.calls.length, existsSync(file)]).toEqual([false, 0, false])
  expect(again.keep({})).toBe(true)
  again.perform()
  expect([again.settle(), start.mock.calls.length]).toEqual([true, 1])
  // So that its window opens, even if the app is to start minimised.
  expect(takeLeft(file, log)).toEqual({ argv: [], cwd: '/' })
})

it('the app does not start again if the user quits it again, unless it is starting already', () => {
  const { file, start, again } = rig()
  again.begin()
  again.keep({ deepLink: 'wes://executions/a' })
  again.forget()
  expect([again.settle(), existsSync(file)]).toEqual([false, false])
  again.keep({})
  // As Squirrel does, once it has noted that it is to start the app.
  again.forget()
  again.perform()
  expect([start.mock.calls.length, existsSync(file)]).toEqual([1, true])
})

it('the next process gets the link and the file that were opened meanwhile, once', () => {
  const { file, again } = rig()
  again.begin()
  again.keep({ deepLink: 'wes://executions/a' })
  again.keep({ runFile: '/a.wes-run.json' })
  again.keep({})
  expect(takeLeft(file, log)).toEqual({ argv: ['wes://executions/a', '/a.wes-run.json'], cwd: '/' })
  expect(takeLeft(file, log)).toBeUndefined()
})

it('a file for the next process that cannot be read or removed keeps nothing from starting', () => {
  const { file } = rig()
  writeFileSync(file, '{')
  expect([takeLeft(file, log), existsSync(file)]).toEqual([undefined, false])
  mkdirSync(file)
  expect(takeLeft(file, log)).toBeUndefined()
})
