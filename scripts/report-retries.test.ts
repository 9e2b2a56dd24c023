import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startVitest } from 'vitest/node'
import { temporaryFolder } from '../src-runtime/shared/temporary-folder.test-support.ts'
import { RetryReport } from './report-retries.ts'

it('names the tests that passed only when they were run again, and no others', async () => {
  const root = temporaryFolder('retries')
  writeFileSync(
    join(root, 'some.test.js'),
    `let tries = 0
     describe('a test', () => {
       it('passes at once', () => {})
       it('passes at its third try', () => expect((tries += 1)).toBe(3))
       it('never passes', () => expect.unreachable())
     })`,
  )
  const printed: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line))
  onTestFinished(() => log.mockRestore())
  const before = process.exitCode
  const vitest = await startVitest([], {
    root,
    config: false,
    globals: true,
    watch: false,
    retry: 2,
    reporters: [new RetryReport()],
  })
  await vitest.close()
  process.exitCode = before
  expect(printed).toEqual([
    '\nPassed only when run again, so these tests or what they test may be faulty:',
    '  some.test.js > a test > passes at its third try (failed 2×)',
  ])
})
