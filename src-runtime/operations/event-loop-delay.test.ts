import { expect, it } from 'vitest'
import { createEventLoopDelay } from './event-loop-delay.ts'

it('measures the delay of this process’s event loop', async () => {
  const delay = createEventLoopDelay()
  try {
    expect(await delay.p99Ms()).toBeGreaterThanOrEqual(0)
    const until = performance.now() + 400
    while (performance.now() < until);
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(await delay.p99Ms()).toBeGreaterThan(100)
  } finally {
    delay.stop()
  }
  delay.stop()
})
