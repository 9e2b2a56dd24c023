import { expect, it } from 'vitest'
import { createAskedTimers } from './asked-timers.ts'

it('knows the last timer of each Execution, and forgets the oldest of 10,000', () => {
  const timers = createAskedTimers()
  expect([timers.isNew('exe_1', 5), timers.isNew('exe_1', 5), timers.isNew('exe_2', 5)]).toEqual([true, false, true])
  expect([timers.isNew('exe_1', 6), timers.isNew('exe_1', 5)]).toEqual([true, true])
  for (let n = 0; n < 9_999; n++) timers.isNew(`other_${n}`, 5)
  expect([timers.isNew('exe_1', 5), timers.isNew('exe_2', 5)]).toEqual([false, true])
})
