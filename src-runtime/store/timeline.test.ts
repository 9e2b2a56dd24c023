import fc from 'fast-check'
import { expect, it } from 'vitest'
import { START, openRig } from './store-rig.test-support.ts'
import { createTimeline } from './timeline.ts'

const countRuns = (db: ReturnType<typeof openRig>['db']) =>
  db.prepare<[], number>('SELECT count(*) FROM clock_runs').pluck().get()

it('limits every time range by keys, also if the clock is set, with few writes', async () => {
  // Steps of the clock: mostly forward, sometimes a little back, rarely far back or forward.
  const step = fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: 0, max: 5_000 }) },
    { weight: 4, arbitrary: fc.integer({ min: -2_000, max: 0 }) },
    { weight: 1, arbitrary: fc.integer({ min: -10_000_000, max: 10_000_000 }) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), fc.integer(), async (steps, pick) => {
      const rig = openRig()
      await rig.deploy('order')
      const starts = steps.map((ms) => {
        rig.clock.now += ms
        return rig.start()
      })
      const rows = await Promise.all(starts)
      const timeline = createTimeline(rig.db)
      const times = rows.map(({ createdAt }) => createdAt).toSorted((a, b) => a - b)
      const after = times[Math.abs(pick) % times.length]! - 1
      for (const before of [after + 2, after + 5_000, Number.POSITIVE_INFINITY]) {
        const { low, high } = timeline.createdWithin({ after, before })
        const matching = rows.filter(({ createdAt }) => createdAt > after && createdAt < before)
        expect(matching.every(({ key }) => key >= low && key < high)).toBe(true)
      }
      await rig.store.close()
    }),
    { numRuns: 25 },
  )
})

it('needs one run while the clock advances, and another only when it is set back, also after restarts', async () => {
  const first = openRig()
  for (let n = 0; n < 5; n += 1) {
    await first.start()
    first.clock.now += 60_000
  }
  first.clock.now -= 61_000
  await first.start()
  expect(countRuns(first.db)).toBe(1)
  const { now } = first.clock
  await first.store.close()

  const second = openRig(first.file)
  second.clock.now = now + 1
  await second.start()
  expect(countRuns(second.db)).toBe(1)
  second.clock.now = START - 3_600_000
  await second.start()
  expect(countRuns(second.db)).toBe(2)
})

it('notices with the first row after a restart that the clock was set back', async () => {
  const first = openRig()
  const { key } = await first.start()
  await first.store.close()
  const second = openRig(first.file)
  second.clock.now -= 86_400_000
  const later = await second.start()
  expect(countRuns(second.db)).toBe(2)
  const timeline = createTimeline(second.db)
  const within = (after: number) => timeline.createdWithin({ after, before: Number.POSITIVE_INFINITY })
  expect(within(START - 10_000)).toEqual({ low: key, high: key + 1 })
  expect(within(START - 90_000_000)).toEqual({ low: key, high: later.key + 1 })
})

it('is precise: for a minute within days it returns its row, and one at the edge', async () => {
  const rig = openRig()
  await rig.deploy('order')
  const starts = Array.from({ length: 200 }, () => {
    const started = rig.start()
    rig.clock.now += 600_000
    return started
  })
  await Promise.all(starts)
  const { low, high } = createTimeline(rig.db).createdWithin({ after: START + 6_000_000, before: START + 6_600_001 })
  expect(high - low).toBe(2)
})

it('drops a run whose transaction was rolled back', async () => {
  const rig = openRig()
  const version = await rig.deploy('order')
  await rig.start()
  const first = rig.newExecution(version)
  rig.clock.now -= 3_600_000
  // The same id twice: the second start, first of a new run, is undone.
  const [, second] = await Promise.allSettled([
    rig.store.executions.start(first),
    rig.store.executions.start({ ...first, createdAt: rig.clock.now }),
  ])
  expect(second.status).toBe('rejected')
  expect(countRuns(rig.db)).toBe(1)
  await rig.start()
  expect(countRuns(rig.db)).toBe(2)
})

it('gives ids that do not follow the clock their own run', async () => {
  const rig = openRig()
  await rig.start()
  await rig.start('order', { id: 'an-id-without-time' })
  await rig.start()
  expect(countRuns(rig.db)).toBe(3)
  const timeline = createTimeline(rig.db)
  // Whatever the time asked for, the odd one could have it in its id.
  expect(timeline.idsWithin({ after: 0, before: 1 })).toEqual({ low: 2, high: 3 })
})
