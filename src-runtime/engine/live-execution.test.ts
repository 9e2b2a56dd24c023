import { expect, it } from 'vitest'
import type { BufferedEvent, ExecutionHead } from './execution-state.ts'
import { addBuffered, beginLive, removeBuffered } from './live-execution.ts'

const event = (position: number, name = 'a'): BufferedEvent => ({
  position,
  id: `evt_${position}`,
  name,
  receivedAt: 1_000,
  bytes: 2,
})

it('counts each buffered event once, however often it is added or removed', () => {
  const live = beginLive({} as ExecutionHead, '{}')
  for (const one of [event(5), event(6), event(5), event(7, 'b')]) addBuffered(live, one)
  expect(live.bufferedEvents).toBe(3)
  for (const position of [5, 5, 9]) removeBuffered(live, 'a', position)
  removeBuffered(live, 'none', 5)
  expect(live.bufferedEvents).toBe(2)
  removeBuffered(live, 'a', 6)
  expect([...live.buffered.keys()]).toEqual(['b'])
})
