import { expect, it, vi } from 'vitest'
import { afterSetBacks } from './after-set-backs.ts'

it('works at first, and says so, after each time that the clock was set back, and again after a failure', async () => {
  let setBacks = 0
  const work = vi.fn<Parameters<typeof afterSetBacks>[1]>(() => Promise.resolve())
  const look = afterSetBacks(() => setBacks, work)
  const isStopped = () => false
  for (let looks = 0; looks < 3; looks += 1) expect(await look(isStopped)).toBe(false)
  expect(work).toHaveBeenCalledTimes(1)
  setBacks = 2
  work.mockRejectedValueOnce(new Error('no connection'))
  await expect(look(isStopped)).rejects.toThrow('no connection')
  for (let looks = 0; looks < 3; looks += 1) await look(isStopped)
  expect(work.mock.calls).toEqual([true, false, false].map((isFirst) => [isStopped, isFirst]))
})
