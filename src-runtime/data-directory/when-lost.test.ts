import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../shared/temporary-folder.test-support.ts'
import { whenLost } from './when-lost.ts'

const fileWatched = () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const file = join(temporaryFolder('lost'), 'wes.sqlite')
  writeFileSync(file, '')
  const onLost = vi.fn()
  const watch = whenLost([file], onLost)
  onTestFinished(watch.stop)
  return { file, onLost, watch }
}

it('notices a lost file within a second', () => {
  const { file, onLost } = fileWatched()
  rmSync(file)
  vi.advanceTimersByTime(1_000)
  vi.advanceTimersByTime(5_000)
  expect(onLost).toHaveBeenCalledOnce()
})

it('notices it before that when asked to look, and looks at most every 50 ms', () => {
  const { file, onLost, watch } = fileWatched()
  vi.advanceTimersByTime(60)
  watch.look()
  rmSync(file)
  watch.look()
  expect(onLost).not.toHaveBeenCalled()
  vi.advanceTimersByTime(60)
  watch.look()
  expect(onLost).toHaveBeenCalledOnce()
})
