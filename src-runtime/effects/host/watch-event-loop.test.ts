import { expect, it, vi } from 'vitest'
import { DEFAULT_EFFECT_HOST_LIMITS } from '../effect-host-limits.ts'
import { watchWithThread } from './watch-event-loop.ts'

vi.mock('node:worker_threads', () => ({
  Worker: class {
    constructor() {
      throw Object.assign(new Error('Worker initialization failure: EAGAIN'), { code: 'ERR_WORKER_INIT_FAILED' })
    }
  },
}))

it('leaves a host that may start no thread to the runtime, which watches it by its beats', async () => {
  let beats = 0
  watchWithThread({ leadsGroup: false, mark: 'none' })({
    limits: DEFAULT_EFFECT_HOST_LIMITS,
    report: () => {},
    onBeat: () => beats++,
  })
  await expect.poll(() => beats).toBeGreaterThan(0)
})
