import { describe, expect, it } from 'vitest'
import { golden, journalOf, START, written } from '../journal/journals.test-support.ts'
import { makeAxis, type Period, placesOf, roomFor, toTime, toUnit } from './axis.ts'
import { axisOf as journalAxis } from './axis-of.ts'
import { type Bar, barsApart, barsOf, outcomeText } from './bars.ts'
import { ticksOf, tickLabel } from './ticks.ts'
import { around, moved, percentOf, within, zoomed } from './viewport.ts'

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const DAY = 24 * HOUR

const axisOf = (to: number, moments: readonly number[], collapses = true, busy: readonly Period[] = []) =>
  makeAxis({ from: 0, to, moments, busy, collapses })
const breaksOf = (to: number, moments: readonly number[], busy: readonly Period[] = []) =>
  axisOf(to, moments, true, busy)
    .stretches.filter(({ isBreak }) => isBreak)
    .map(({ from, to: until }) => [from, until])

describe('the time axis', () => {
  it('is linear without long gaps', () => {
    const axis = axisOf(1_000, [100, 200, 900])
    expect(axis.length).toBe(1_000)
    expect([0, 100, 555, 1_000].map((time) => toUnit(axis, time))).toEqual([0, 100, 555, 1_000])
  })

  it('places what is over as before while time passes, also beside a collapsed wait', () => {
    const running = (now: number) => placesOf(axisOf(roomFor(0, now), [100, 200]))
    expect(running(1_901)).toBe(running(1_900))
    expect(running(3_000)).not.toBe(running(1_900))
    const waiting = (now: number) => placesOf(axisOf(now, [100, 200]))
    expect(breaksOf(HOUR, [100, 200])).toHaveLength(1)
    expect(waiting(HOUR + SECOND)).toBe(waiting(HOUR))
    expect(placesOf(axisOf(HOUR, [100, 300]))).not.toBe(waiting(HOUR))
  })

  it('breaks only at gaps of another order of magnitude', () => {
    const moments = [SECOND, 2 * SECOND, 2 * DAY, 2 * DAY + SECOND, 5 * DAY]
    expect(breaksOf(5 * DAY + SECOND, moments)).toEqual([
      [2 * SECOND, 2 * DAY],
      [2 * DAY + SECOND, 5 * DAY],
    ])
  })

  it('does not break at pauses that are merely the longest', () => {
    expect(
      breaksOf(
        10 * SECOND,
        [1, 2, 4, 7].map((at) => at * SECOND),
      ),
    ).toEqual([])
    expect(breaksOf(900, [1, 2, 850])).toEqual([])
    expect(breaksOf(9 * SECOND, [100, 200])).toEqual([])
  })

  it('does not break if nothing else would be visible', () => {
    expect(breaksOf(HOUR, [])).toEqual([])
    expect(breaksOf(HOUR + 9, [1, 2, HOUR, HOUR + 3])).toEqual([])
  })

  it('does not break while an effect runs, also beside a wait, but before and after it', () => {
    const moments = [100, 200, HOUR, HOUR + 300]
    expect(breaksOf(2 * HOUR, moments)).toHaveLength(2)
    expect(breaksOf(2 * HOUR, moments, [{ from: 100, to: HOUR }])).toEqual([])
    expect(
      breaksOf(9 * HOUR, moments, [
        { from: 200, to: HOUR },
        { from: 100, to: 200 },
      ]),
    ).toEqual([[HOUR + 300, 9 * HOUR]])
  })

  it('shows the attempts of an effect in full, also the one that runs, and shortens the pause before it', () => {
    const journal = journalOf(
      written(
        { afterMs: 0, type: 'effect_scheduled', command: 1, name: 'charge' },
        {
          afterMs: HOUR,
          type: 'effect_attempt_failed',
          command: 1,
          name: 'charge',
          attempt: 1,
          data: { nextAttemptAt: new Date(START + DAY).toISOString() },
        },
      ),
    )
    const axisAt = (now: number) =>
      journalAxis(journal, { from: START, to: START + HOUR, now: START + now, collapses: true })
        .stretches.filter(({ isBreak }) => isBreak)
        .map(({ from, to }) => [from - START, to - START])
    expect(axisAt(HOUR)).toEqual([])
    expect(axisAt(DAY)).toEqual([[HOUR, DAY]])
    expect(axisAt(DAY + 2 * HOUR)).toEqual([[HOUR, DAY]])
  })

  it('does not break at short regular waits', () => {
    const everyTenSeconds = Array.from({ length: 100 }, (_, index) => index * 10 * SECOND + (index % 2))
    expect(breaksOf(1_000 * SECOND, everyTenSeconds)).toEqual([])
    expect(breaksOf(1_000 * SECOND + DAY, everyTenSeconds)).toEqual([[990 * SECOND + 1, 1_000 * SECOND + DAY]])
  })

  it('converts times to units and back, across breaks', () => {
    const axis = axisOf(3 * DAY, [SECOND, 2 * SECOND, 2 * DAY, 2 * DAY + SECOND])
    for (const time of [0, 1, SECOND, 1.5 * SECOND, DAY, 2 * DAY, 2 * DAY + 500, 3 * DAY]) {
      expect(toTime(axis, toUnit(axis, time))).toBeCloseTo(time, 0)
    }
    expect(toUnit(axis, -5)).toBe(0)
    expect(toUnit(axis, 9 * DAY)).toBe(axis.length)
  })

  it('has a length even if everything happens at once', () => {
    expect(axisOf(0, [0, 0]).length).toBe(1)
    expect(makeAxis({ from: 5, to: 3, moments: [], busy: [], collapses: true }).length).toBe(1)
  })

  it('grows in steps while an Execution runs', () => {
    const ends = [1, 500, 999, 1_000].map((now) => roomFor(0, now))
    expect(new Set(ends).size).toBe(1)
    for (const now of [1_001, 60_000, 10 * HOUR]) {
      expect(roomFor(0, now)).toBeGreaterThan(now)
      expect(roomFor(0, now)).toBeLessThan(now * 1.16)
    }
    expect(roomFor(0, 60_000)).toBe(roomFor(0, 60_100))
  })
})

describe('the view of the axis', () => {
  it('keeps the position under the pointer when it zooms', () => {
    const view = zoomed({ from: 0, to: 1_000 }, 4, 200, 1_000)
    expect(view).toEqual({ from: 150, to: 400 })
    expect(percentOf(view, 200)).toBeCloseTo(20)
  })

  it('never leaves the axis, and never becomes empty', () => {
    expect(within({ from: -50, to: 50 }, 1_000)).toEqual({ from: 0, to: 100 })
    expect(within({ from: 500, to: 9_000 }, 1_000)).toEqual({ from: 0, to: 1_000 })
    expect(within({ from: 7, to: 7 }, 1_000)).toEqual({ from: 7, to: 7.5 })
    expect(zoomed({ from: 0, to: 1 }, 1e9, 0.5, 1)).toMatchObject({ from: 0.25, to: 0.75 })
    expect(zoomed({ from: 10, to: 20 }, 1e-9, 15, 1_000)).toEqual({ from: 0, to: 1_000 })
    expect(moved({ from: 0, to: 100 }, -0.5, 1_000)).toEqual({ from: 0, to: 100 })
    expect(moved({ from: 0, to: 100 }, 0.5, 1_000)).toEqual({ from: 50, to: 150 })
    expect(around(0, 1_000, 1_000)).toEqual({ from: 0, to: 1_000 })
  })

  it('shows one item with space around it', () => {
    expect(around(400, 500, 1_000)).toEqual({ from: 360, to: 540 })
  })
})

describe('the ruler', () => {
  const labels = (to: number, moments: readonly number[] = [], view = { from: 0, to: Number.POSITIVE_INFINITY }) => {
    const axis = axisOf(to, moments)
    return ticksOf(axis, within({ from: view.from, to: Math.min(view.to, axis.length) }, axis.length), 800)
      .map(({ label }) => label)
      .filter((label) => label !== '')
  }

  it('counts round times from the start', () => {
    expect(labels(1_000)).toEqual([
      '0',
      '100 ms',
      '200 ms',
      '300 ms',
      '400 ms',
      '500 ms',
      '600 ms',
      '700 ms',
      '800 ms',
      '900 ms',
    ])
    expect(labels(HOUR)).toEqual(['0', '10 min', '20 min', '30 min', '40 min', '50 min'])
    expect(labels(10 * 365 * DAY)).toHaveLength(10)
  })

  it('shows the full time after a break', () => {
    const after = labels(2 * DAY + 4 * SECOND, [SECOND, 2 * DAY])
    expect(after[0]).toBe('0')
    expect(after.some((label) => label.startsWith('2 d'))).toBe(true)
  })

  it('shows no label that would overlap a break or another label', () => {
    // The break begins 40 ms after the tick at 600 ms.
    const axis = axisOf(2 * DAY, [640, 2 * DAY - 600])
    const ticks = ticksOf(axis, { from: 0, to: axis.length }, 800)
    expect(ticks.map(({ label }) => label)).toEqual(['0', '200 ms', '400 ms', '', '1 d 23 h 59 min 59.6 s', '', ''])
  })

  it.each([
    [0, 100, true, '0'],
    [1_250, 50, true, '1.25 s'],
    [2 * DAY + 3 * HOUR + 4_200, 200, true, '2 d 3 h 4.2 s'],
    [2 * DAY + 3 * HOUR + 4_200, 200, false, '3 h 4.2 s'],
    [0.5, 0.5, true, '0.5 ms'],
    [2 * DAY, DAY, true, '2 d'],
    [90 * SECOND, 10 * SECOND, true, '1 min 30 s'],
  ])('labels %d ms in steps of %d', (offset, step, whole, label) => expect(tickLabel(offset, step, whole)).toBe(label))
})

describe('the bars of a command', () => {
  it('are its attempts, and the delays between them', () => {
    const nextAttemptAt = new Date(START + 600).toISOString()
    const [failed, ...later] = written(
      { afterMs: 0, type: 'effect_scheduled', command: 1, name: 'charge' },
      {
        afterMs: 100,
        type: 'effect_attempt_failed',
        command: 1,
        name: 'charge',
        attempt: 1,
        data: { error: { message: 'busy' }, nextAttemptAt },
      },
      { afterMs: 700, type: 'effect_completed', command: 1, name: 'charge', attempt: 2 },
    )
    const journal = journalOf([failed!, later[0]!])
    const looks = (now: number) =>
      barsOf(journal.commands[0]!, START + now).map(({ look, from, to }) => [look, from - START, to - START])
    expect(looks(300)).toEqual([
      ['failed', 0, 100],
      ['backing-off', 100, 300],
    ])
    expect(outcomeText(journal.commands[0]!, START + 300)).toBe('backing off, for 300 ms')
    expect(looks(650)).toEqual([
      ['failed', 0, 100],
      ['backing-off', 100, 600],
      ['running', 600, 650],
    ])
    journal.append(later, null)
    expect(looks(9_999)).toEqual([
      ['failed', 0, 100],
      ['backing-off', 100, 600],
      ['completed', 600, 700],
    ])
    expect(outcomeText(journal.commands[0]!, 0)).toBe('completed after 700 ms, 2 attempts')
  })

  it('are only those that can be told apart, of thousands of attempts, and the selected one', () => {
    const attempts = Array.from({ length: 10_000 }, (_, index): readonly Bar[] => [
      { from: index * 10, to: index * 10 + 8, look: 'failed', position: index, title: '' },
      { from: index * 10 + 8, to: index * 10 + 10, look: 'backing-off', position: index, title: '' },
    ]).flat()
    const whole = barsApart(attempts, (time) => time / 100, 4_001)
    expect(whole.length).toBeLessThan(1_010)
    expect(whole.some(({ position }) => position === 4_001)).toBe(true)
    const pauses = whole.filter(({ look }) => look === 'backing-off')
    expect(pauses.map(({ position }) => position)).toEqual([4_001])
    expect(whole.findLast(({ look }) => look === 'failed')!.to).toBeGreaterThan(99_700)
    const near = (time: number) => Math.min(Math.max(time - 50_000, -10), 1_010)
    expect(barsApart(attempts, near, undefined).filter(({ from }) => from > 50_000 && from < 51_000)).toHaveLength(199)
  })

  it('are a single one for a timer or a wait, with its outcome', () => {
    const { commands } = journalOf(golden('clock-random-and-races'))
    const said = commands.map((command) => barsOf(command, 0).map(({ look, title }) => `${look}: ${title}`))
    expect(said[0]).toEqual(['cancelled: timed out after 20 ms'])
    expect(said[2]).toEqual(['waited: delivered after 28 ms'])
    expect(said[3]).toEqual(['cancelled: dropped after 47 ms'])
    expect(said[5]?.[0]).toMatch(/^failed: Attempt 1: failed after 5 ms: EffectError/)
  })

  it('grow while the command is open', () => {
    const [wait] = journalOf(written({ afterMs: 0, type: 'wait_scheduled', command: 1, name: 'approved' })).commands
    expect(barsOf(wait!, START + 2_000)).toMatchObject([
      { look: 'waiting', to: START + 2_000, title: 'waiting for 2.0 s' },
    ])
    expect(barsOf(wait!, START - 50)).toMatchObject([{ from: START, to: START }])
  })
})
