import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createRunningAttempts, type RunningAttempts } from './running-attempts.ts'

let running: RunningAttempts
let cut: string[]
beforeEach(() => {
  vi.useFakeTimers()
  running = createRunningAttempts()
  cut = []
})
afterEach(() => vi.useRealTimers())

const begin = (turn: string): (() => void) => running.whenCut(() => cut.push(turn))

it('cuts turns that take long while it drains, whenever they began', () => {
  begin('before')
  const end = begin('short')
  void running.drain(10_000)
  vi.advanceTimersByTime(200)
  end()
  expect(cut).toEqual([])
  vi.advanceTimersByTime(50)
  expect(cut).toEqual(['before'])
  vi.advanceTimersByTime(1_000)
  begin('late')
  vi.advanceTimersByTime(200)
  expect(cut).toEqual(['before'])
  vi.advanceTimersByTime(50)
  expect(cut).toEqual(['before', 'late'])
})

it('cuts turns of a replaced worker that take long, and no others', () => {
  begin('long')
  vi.advanceTimersByTime(300)
  const end = begin('short')
  running.cutTurns()
  begin('later')
  vi.advanceTimersByTime(200)
  end()
  vi.advanceTimersByTime(10_000)
  expect(cut).toEqual(['long'])
})
