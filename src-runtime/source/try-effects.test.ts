import { expect, it, onTestFinished, vi } from 'vitest'
import { nodeFork } from '../shared/fork.ts'
import { failureInEmptyFolder } from './try-effects.ts'

it('the process has ended when its answer is there, because Windows removes no folder of one that runs', async () => {
  const start = vi.spyOn(nodeFork, 'start')
  onTestFinished(() => start.mockRestore())
  expect(await failureInEmptyFolder("throw new TypeError('wrong')")).toMatchObject({ message: 'wrong' })
  expect(start.mock.results[0]?.value).toMatchObject({ signalCode: 'SIGKILL' })
})
