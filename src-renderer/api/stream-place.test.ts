import { expect, it, vi } from 'vitest'
import { takeStreamPlace } from './stream-place.ts'

it('gives four places, and one again that was left', async () => {
  const taken = [await takeStreamPlace(), await takeStreamPlace(), await takeStreamPlace(), await takeStreamPlace()]
  expect(taken).not.toContain(undefined)
  expect(await takeStreamPlace()).toBeUndefined()
  taken[2]!()
  const again = await vi.waitUntil(takeStreamPlace)
  expect(await takeStreamPlace()).toBeUndefined()
  for (const leave of [...taken, again]) leave!()
})
