import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { throttled } from './throttled.ts'

const page = { hidden: false }

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('document', page)
  page.hidden = false
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const rig = (workMs = 0, seldomMs?: number) => {
  const begun: number[] = []
  const one = throttled(
    async () => {
      begun.push(performance.now())
      await new Promise((resolve) => setTimeout(resolve, workMs))
    },
    250,
    seldomMs,
  )
  const zero = performance.now()
  return { ...one, begun: () => begun.map((at) => Math.round(at - zero)) }
}

it('runs at once, and once more after the delay for several requests', async () => {
  const work = rig()
  for (let time = 0; time < 10; time++) work.request()
  await vi.advanceTimersByTimeAsync(2_000)
  expect(work.begun()).toEqual([0, 250])
})

it('runs at once again after the delay', async () => {
  const work = rig()
  work.request()
  await vi.advanceTimersByTimeAsync(1_000)
  work.request()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(work.begun()).toEqual([0, 1_000])
})

it('never runs concurrently, and waits longer the slower it is', async () => {
  const work = rig(1_000)
  const asking = setInterval(work.request, 10)
  await vi.advanceTimersByTimeAsync(5_500)
  clearInterval(asking)
  expect(work.begun()).toEqual([10, 4_010])
})

it('pauses longer under constant requests, and not after a pause without any', async () => {
  const work = rig(0, 1_000)
  const asking = setInterval(work.request, 10)
  await vi.advanceTimersByTimeAsync(4_000)
  clearInterval(asking)
  await vi.advanceTimersByTimeAsync(2_000)
  const often = [10, 260, 510, 760, 1_010, 1_260, 1_510, 1_760]
  expect(work.begun()).toEqual([...often, 2_010, 3_010, 4_010])
  work.request()
  work.request()
  await vi.advanceTimersByTimeAsync(2_000)
  expect(work.begun().slice(11)).toEqual([6_000, 6_250])
})

it('starts nothing after it was stopped', async () => {
  const work = rig()
  work.request()
  work.request()
  work.stop()
  work.request()
  await vi.advanceTimersByTimeAsync(2_000)
  expect(work.begun()).toEqual([0])
})

it('starts nothing while the page is hidden, not even what was asked for before, and runs again once it is shown', async () => {
  const work = rig()
  work.request()
  work.request()
  page.hidden = true
  await vi.advanceTimersByTimeAsync(1_000)
  work.request()
  page.hidden = false
  await vi.advanceTimersByTimeAsync(1_000)
  expect(work.begun()).toEqual([0])
  work.request()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(work.begun()).toEqual([0, 2_000])
})
